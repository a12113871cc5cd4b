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
    """One message of a conversation; `results` are those of tools."""

    role: str
    text: str
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        messages: Without the system's.
        tools: Name to JSON Schema of its arguments; empty for side calls (titles, summaries).
    """

    dialect: Dialect
    model: str
    stream: bool
    messages: tuple[Message, ...]
    tools: Mapping[str, Json]

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
    )


def _messages(body: Json) -> Iterator[Message]:
    for message in body.get("messages") or ():
        if message.get("role") == "tool":
            yield Message("user", "", (_flat(message.get("content"))[0],))
        else:
            yield Message(str(message.get("role")), *_flat(message.get("content")))
    for message in body.get("contents") or ():
        yield Message(str(message.get("role", "user")), *_flat(message.get("parts")))
    asked = body.get("input")
    for item in [{"role": "user", "content": asked}] if isinstance(asked, str) else asked or ():
        if item.get("type") in ("function_call_output", "custom_tool_call_output"):
            yield Message("user", "", (_flat(item.get("output"))[0],))
        elif item.get("role"):
            yield Message(str(item["role"]), *_flat(item.get("content")))
        else:
            yield Message("assistant", "")


def _flat(content: Any) -> tuple[str, tuple[str, ...]]:
    """Text and results of tools of a message's content."""
    if not isinstance(content, list):
        return (content if isinstance(content, str) else "" if content is None else str(content)), ()
    texts: list[str] = []
    results: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif "functionResponse" in part:
            results.append(str(part["functionResponse"].get("response")))
        elif part.get("type") == "tool_result":
            results.append(_flat(part.get("content"))[0])
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(texts), tuple(results)


def _tools(body: Json) -> Iterator[tuple[str, Json]]:
    for tool in body.get("tools") or ():
        for declared in tool.get("functionDeclarations") or ():
            yield declared["name"], declared.get("parametersJsonSchema") or declared.get("parameters") or {}
        if "function" in tool:
            yield tool["function"]["name"], tool["function"].get("parameters") or {}
        elif "name" in tool:
            yield tool["name"], tool.get("input_schema") or tool.get("parameters") or {}
