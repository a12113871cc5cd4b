"""Transcript files, read as they grow.

An agent writes them, and may write whatever it likes, also while they are read: hive, whose rights are
wider, reads no other file than one of the agent's own, waits for none, and keeps only so much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hive.shells.system.beneath import file_beneath, found_beneath
from hive.shells.system.line_tail import LineTail

_CHUNK = 4 * 1024 * 1024
"""Bytes read from one file at a time; a longer backlog is skipped up to its last such part."""
_MOST_FILES = 200
"""Of one pattern, and of one home that are remembered."""
_KEPT_OF_HOME, _KEPT_OF_FILE = 16 * 1024 * 1024, 64 * 1024
"""Bytes of lines that are kept, of all files of one home together, and of each at least."""
_MOST_AT_ONCE, _PERIOD_S = 4 * _CHUNK, 1.0
"""Bytes read of one home in a period: what is written faster waits, and keeps nobody else waiting."""


@dataclass(slots=True)
class _Home:
    tails: dict[str, LineTail] = field(default_factory=dict)
    since: float = float("-inf")
    read: int = 0

    def may_read(self, now: float) -> bool:
        if now - self.since >= _PERIOD_S:
            self.since, self.read = now, 0
        return self.read < _MOST_AT_ONCE


class FileTranscripts:
    """Remembers how far each file was read. An empty or replaced file starts anew."""

    def __init__(self, homes: Path, *, now: Callable[[], float] = time.monotonic) -> None:
        """`homes` is the folder of the agents' homes, each of which belongs to its agent's user."""
        self._homes = homes
        self._now = now
        self._known: dict[Path, _Home] = {}

    def lines(self, path: str) -> tuple[str, ...]:
        """Whole lines so far; a line that is still being written waits for its end."""
        below = self._below(path)
        if below is None:
            return ()
        folder, parts = below
        home = self._known.setdefault(folder, _Home())
        tail = home.tails.pop(path, None)
        try:
            with file_beneath(folder, parts) as file:
                tail = self._read(file, tail, home)
        except OSError:
            return ()
        home.tails[path] = tail  # the newest at the end
        while len(home.tails) > _MOST_FILES:
            del home.tails[next(iter(home.tails))]
        return tail.lines

    def found(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """See the port; at most some hundred of each pattern."""
        paths = set()
        for pattern in patterns:
            if (below := self._below(pattern)) is not None:
                home, parts = below
                paths |= {str(home.joinpath(*one)) for one in found_beneath(home, parts, most=_MOST_FILES)}
        return tuple(sorted(paths))

    def _below(self, path: str) -> tuple[Path, tuple[str, ...]] | None:
        """The home and the names below it; None for what lies elsewhere."""
        try:
            home, *parts = Path(path).relative_to(self._homes).parts
        except ValueError:
            return None
        return (self._homes / home, tuple(parts)) if parts and home != ".." else None

    def _read(self, file: int, tail: LineTail | None, home: _Home) -> LineTail:
        status = os.fstat(file)
        if tail is None or tail.inode != status.st_ino or status.st_size < tail.offset:
            tail = LineTail(status.st_ino)
        if status.st_size == tail.offset or not home.may_read(self._now()):
            return tail
        if status.st_size - tail.offset > _CHUNK:
            tail.skip_to(status.st_size - _CHUNK)
        data = os.pread(file, status.st_size - tail.offset, tail.offset)
        home.read += len(data)
        tail.take(data, most=max(_KEPT_OF_HOME // (len(home.tails) + 1), _KEPT_OF_FILE))
        return tail
