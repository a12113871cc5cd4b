"""The control-mode stream: replies between ``%begin`` and ``%end`` or ``%error``, and notices around them.

A reply's text may hold anything, lines that look like ``%end`` included. A reply ends only at the line that
repeats time, number and flags of its ``%begin``; text that stands where none may stand means that a pane
forged such a line, and raises `StreamBroken` before anything after it is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# tmux sets it on replies to lines that came over this connection; others (its first command, hooks) lack it.
_OURS = b"1"
_GUARD = re.compile(rb" [0-9]{1,18} [0-9]+ [0-9]+")
# Far beyond the longest honest reply; a server that never ends one must not fill the memory.
_LONGEST = 64 * 1024 * 1024


class StreamBroken(Exception):
    """What came is not control mode."""


@dataclass(frozen=True, slots=True)
class Reply:
    """tmux's answer to one command; `text` without its last line end, tmux's words where it failed.

    Attributes:
        at: The server's clock, seconds since 1970.
    """

    ok: bool
    text: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Notice:
    """A line that tmux sent by itself, such as ``%sessions-changed``."""

    line: bytes


class ReplyStream:
    """Cuts the bytes of a control-mode connection into replies and notices."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._scanned = 0

    def feed(self, data: bytes) -> Iterator[Reply | Notice]:
        """Take in `data` and yield what is complete by now. Raises `StreamBroken`."""
        self._buffer += data
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end])
            if not line.startswith(b"%begin "):
                del self._buffer[: end + 1]
                yield Notice(_checked(line))
                continue
            reply = self._reply(line, end)
            if reply is None:
                return
            if line.endswith(b" " + _OURS):
                yield reply

    def _reply(self, begin: bytes, start: int) -> Reply | None:
        """The reply whose `begin` line ends at `start`, or None while its end has not come."""
        guard = begin.removeprefix(b"%begin")
        if not _GUARD.fullmatch(guard):
            raise StreamBroken(begin[:200].decode("utf-8", "replace"))
        found = [
            (position, ok, len(word))
            for word, ok in ((b"\n%end" + guard + b"\n", True), (b"\n%error" + guard + b"\n", False))
            if (position := self._buffer.find(word, max(start, self._scanned))) >= 0
        ]
        if not found:
            self._scanned = max(0, len(self._buffer) - len(guard) - 16)
            if len(self._buffer) > _LONGEST:
                raise StreamBroken("a reply without an end")
            return None
        position, ok, length = min(found)
        text = bytes(self._buffer[start + 1 : position])
        del self._buffer[: position + length]
        self._scanned = 0
        return Reply(ok, text, int(guard.split()[0]))


def _checked(line: bytes) -> bytes:
    if not line.startswith(b"%") or line.startswith((b"%end ", b"%error ")):
        raise StreamBroken(line[:200].decode("utf-8", "replace"))
    return line
