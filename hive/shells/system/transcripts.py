"""Transcript files, read as they grow."""

from __future__ import annotations

import glob
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

_KEPT_LINES = 4000
_CHUNK = 4 * 1024 * 1024
"""Bytes read from one file at a time; a longer backlog is skipped up to its last such part."""


@dataclass(slots=True)
class _Tail:
    inode: int = 0
    offset: int = 0
    rest: bytes = b""
    torn: bool = False
    """What comes next is the rest of a line whose beginning was skipped."""
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))


class FileTranscripts:
    """Remembers how far each file was read. An empty or replaced file starts anew."""

    def __init__(self) -> None:
        self._tails: dict[str, _Tail] = {}

    def lines(self, path: str) -> tuple[str, ...]:
        """Whole lines so far; a line that is still being written waits for its end."""
        try:
            status = os.stat(path)
        except OSError:
            self._tails.pop(path, None)
            return ()
        tail = self._tails.get(path)
        if tail is None or tail.inode != status.st_ino or status.st_size < tail.offset:
            tail = self._tails[path] = _Tail(inode=status.st_ino)
        if status.st_size > tail.offset:
            self._read(path, tail, status.st_size)
        return tuple(tail.lines)

    def found(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """See the port."""
        return tuple(sorted({path for pattern in patterns for path in glob.iglob(pattern)}))

    def _read(self, path: str, tail: _Tail, size: int) -> None:
        if size - tail.offset > _CHUNK:
            tail.offset, tail.rest, tail.torn = size - _CHUNK, b"", True
        try:
            with open(path, "rb") as file:
                file.seek(tail.offset)
                data = file.read(size - tail.offset)
        except OSError:
            return
        tail.offset += len(data)
        *whole, tail.rest = (tail.rest + data).split(b"\n")
        if tail.torn and whole:
            del whole[0]
            tail.torn = False
        tail.lines.extend(line.decode("utf-8", "replace") for line in whole)
