"""The newest whole lines of a file that grows, in bounded memory."""

from __future__ import annotations

from collections import deque

KEPT_LINES = 4000
LONGEST_LINE = 4 * 1024 * 1024
"""Bytes; a longer line is left out."""


class LineTail:
    """Attributes:
    inode: Of the file.
    offset: Up to where it was read.
    size: Bytes of the lines that are kept.
    """

    def __init__(self, inode: int = 0) -> None:
        self.inode = inode
        self.offset = 0
        self.size = 0
        self._rest = b""
        self._torn = False
        self._kept: deque[bytes] = deque()
        self._told: tuple[str, ...] | None = ()

    def skip_to(self, offset: int) -> None:
        """What lies before `offset` is left out: what comes next may be the rest of a line."""
        self.offset, self._rest, self._torn = offset, b"", True

    def take(self, data: bytes, *, most: int) -> None:
        """Add what follows in the file; of the lines, the newest are kept, at most `most` bytes."""
        self.offset += len(data)
        *whole, self._rest = (self._rest + data).split(b"\n")
        if self._torn and whole:
            del whole[0]
            self._torn = False
        if len(self._rest) > LONGEST_LINE:
            self._rest, self._torn = b"", True
        for line in whole:
            self._kept.append(line)
            self.size += len(line)
        while self._kept and (self.size > most or len(self._kept) > KEPT_LINES):
            self.size -= len(self._kept.popleft())
        if whole:
            self._told = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The same object until there are new ones."""
        if self._told is None:
            self._told = tuple(line.decode("utf-8", "replace") for line in self._kept)
        return self._told
