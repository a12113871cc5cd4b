"""What a program asked a model, read from any of the dialects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Json = Mapping[str, Any]


class Dialect(StrEnum):
    ANTHROPIC = "anthropic"
    CHAT = "chat"
    RESPONSES = "responses"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation: its text in the parts that it came in, and results of tools."""

    role: str
    parts: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.parts)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        messages: Without the system's.
        tools: Name to JSON Schema of its arguments; empty for side calls (titles, summaries).
        wanted: JSON Schema of the answer, where the program asks for a document.
    """

    dialect: Dialect
    model: str
    stream: bool
    messages: tuple[Message, ...]
    tools: Mapping[str, Json]
    wanted: Json | None = None

    @property
    def latest(self) -> tuple[Message, ...]:
        """What came since the model spoke last."""
        found: list[Message] = []
        for message in reversed(self.messages):
            if message.role in ("assistant", "model"):
                break
            found.insert(0, message)
        return tuple(found)

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return self.messages[-1].text if self.messages else ""

    @property
    def results(self) -> tuple[str, ...]:
        return tuple(result for message in self.latest for result in message.results)


def dialect_of(path: str) -> Dialect | None:
    """The dialect of a request's path (without its query), or None for one that is not served."""
    if path.endswith("/messages"):
        return Dialect.ANTHROPIC
    if path.endswith("/chat/completions"):
        return Dialect.CHAT
    if path.endswith("/responses"):
        return Dialect.RESPONSES
    return Dialect.GEMINI if path.endswith(("enerateContent",)) else None


def read_request(dialect: Dialect, path: str, body: Json) -> Asked:
    model = str(body.get("model") or path.rpartition("/models/")[2].partition(":")[0])
    return Asked(
        dialect,
        model,
        stream=bool(body.get("stream")) or "streamGenerateContent" in path,
        messages=tuple(each for each in _messages(body) if each.role not in ("system", "developer")),
        tools=dict(_tools(body)),
        wanted=_wanted(body),
    )


def _wanted(body: Json) -> Json | None:
    settings = body.get("generationConfig") or {}
    wanted: Json | None = settings.get("responseJsonSchema") or settings.get("responseSchema")
    return wanted


def _messages(body: Json) -> Iterator[Message]:
    for message in body.get("messages") or ():
        if message.get("role") == "tool":
            yield Message("user", (), ("\n".join(_flat(message.get("content"))[0]),))
        else:
            yield Message(str(message.get("role")), *_flat(message.get("content")))
    for message in body.get("contents") or ():
        yield Message(str(message.get("role", "user")), *_flat(message.get("parts")))
    asked = body.get("input")
    for item in [{"role": "user", "content": asked}] if isinstance(asked, str) else asked or ():
        if item.get("type") in ("function_call_output", "custom_tool_call_output"):
            yield Message("user", (), ("\n".join(_flat(item.get("output"))[0]),))
        elif item.get("role"):
            yield Message(str(item["role"]), *_flat(item.get("content")))
        else:
            yield Message("assistant")


def _flat(content: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parts of text and results of tools of a message's content."""
    if not isinstance(content, list):
        return () if content is None else (content if isinstance(content, str) else str(content),), ()
    texts: list[str] = []
    results: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif "functionResponse" in part:
            results.append(str(part["functionResponse"].get("response")))
        elif part.get("type") == "tool_result":
            results.append("\n".join(_flat(part.get("content"))[0]))
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
    return tuple(texts), tuple(results)


def _tools(body: Json) -> Iterator[tuple[str, Json]]:
    for tool in body.get("tools") or ():
        for declared in tool.get("functionDeclarations") or ():
            yield declared["name"], declared.get("parametersJsonSchema") or declared.get("parameters") or {}
        if "function" in tool:
            yield tool["function"]["name"], tool["function"].get("parameters") or {}
        elif "name" in tool:
            yield tool["name"], tool.get("input_schema") or tool.get("parameters") or {}
