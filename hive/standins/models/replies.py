"""What a scripted model answers: text, a tool call, a failure. The same in every dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Say:
    """Text, streamed.

    Attributes:
        chunks: Sent one after the other, with `gap` seconds between them.
        delay: Seconds before the first byte of the answer.
        cut: The connection is dropped after the last chunk, without an end.
        input_tokens: What the answer reports as used.
    """

    chunks: tuple[str, ...]
    gap: float = 0.0
    delay: float = 0.0
    cut: bool = False
    input_tokens: int = 100
    output_tokens: int = 5


@dataclass(frozen=True, slots=True)
class CallTool:
    """A call of one tool that was offered; `before` is said first.

    The first of `names` that the program offers is called, with the values of `arguments` under the names
    that the tool's own schema gives them: programs call the same thing `cmd`, `command` or `script`.
    """

    names: tuple[str, ...]
    arguments: Mapping[str, object]
    before: str = ""
    input_tokens: int = 100
    output_tokens: int = 5


@dataclass(frozen=True, slots=True)
class Fail:
    """An HTTP error in the dialect's own form.

    Attributes:
        kind: The provider's word: ``rate_limit_error``, ``RESOURCE_EXHAUSTED``, ``insufficient_quota``.
        details: Gemini's list of details.
    """

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)
    details: tuple[Mapping[str, object], ...] = ()


Reply: TypeAlias = Say | CallTool | Fail


def say(text: str) -> Say:
    return Say((text,))


def run(command: str) -> CallTool:
    """Let the program run a shell command with whichever tool it has for that."""
    return CallTool(
        ("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "developer__shell"),
        {"command": command, "cmd": command, "description": "A step of the script"},
    )


def write_file(path: str, content: str) -> CallTool:
    """Let the program write a whole file."""
    return CallTool(
        ("Write", "create", "write_file", "write", "developer__text_editor"),
        {
            "file_path": path,
            "path": path,
            "filePath": path,
            "content": content,
            "file_text": content,
            "command": "write",
        },
    )
