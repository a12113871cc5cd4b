"""tmux's command language: how words are written so that they arrive as they are.

In control mode a line is parsed as in a configuration file. Within double quotes tmux still expands ``$``,
a leading ``~`` and backslashes (measured on 3.3a), so those are escaped, and line ends with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_SPECIAL = re.compile(r'[\x00-\x1f\x7f"$\\~]')


def quote(word: str) -> str:
    """Write `word` so that tmux reads exactly it. Raises `ValueError` for NUL, which nothing carries."""
    if "\0" in word:
        raise ValueError("a NUL character cannot be passed to tmux")
    if _PLAIN.fullmatch(word) and not word.startswith(("%", "=")):
        return word
    return '"' + _SPECIAL.sub(_escape, word) + '"'


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return f"\\{ord(char):03o}" if char < " " or char in "\x7f~" else "\\" + char


def literal_format(text: str) -> str:
    """Write `text` for an argument that tmux expands as a format (a working folder, say)."""
    return text.replace("#", "##")


def session_target(name: str) -> str:
    """Exactly this session: without `=` tmux takes a prefix, without `:` 3.7 refuses it for panes."""
    return f"={name}:"


@dataclass(frozen=True, slots=True)
class CommandList:
    """Commands that tmux runs one after the other, without anything between; the first that fails ends it.

    Attributes:
        line: As written to the control-mode connection, without line end.
        count: How many replies come when all goes well.
    """

    line: bytes
    count: int

    @property
    def text(self) -> str:
        """As an argument of a command that takes commands."""
        return self.line.decode("utf-8", "surrogateescape")

    def and_then(self, count: int) -> CommandList:
        """The same, when its last command runs `count` more, each of which replies by itself."""
        return CommandList(self.line, self.count + count)


def commands(*words: Iterable[str]) -> CommandList:
    """Build a command list; each argument is one command with its words."""
    line = " ; ".join(" ".join(quote(word) for word in command) for command in words)
    return CommandList(line.encode("utf-8", "surrogateescape"), len(words))
