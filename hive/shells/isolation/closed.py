"""What on this machine only root may read: a place whose user is root would show it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

_DEEPEST = 4
"""Folders below each top (chosen: keys of services lie no deeper)."""
_MOST = 20_000
"""Entries that are looked at, so that an agent's start takes no longer than it may (chosen: 0.1 s)."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Absolute paths of folders and files that others than their owner and group cannot read."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def closed_to_others(tops: Sequence[str]) -> Closed:
    """Below `tops`, and `tops` themselves; nothing below a closed folder is told of."""
    folders, files = [], []
    for number, (path, mode) in enumerate(_entries(tops)):
        if number >= _MOST:
            break
        if stat.S_ISDIR(mode):
            if not mode & stat.S_IXOTH:
                folders.append(path)
        elif not mode & stat.S_IROTH and not stat.S_ISLNK(mode):
            files.append(path)
    return Closed(tuple(sorted(folders)), tuple(sorted(files)))


def _entries(tops: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Path and mode, those nearer to the top first."""
    level = [each for each in tops if os.path.isdir(each) and not os.path.islink(each)]
    for top in level:
        yield top, os.lstat(top).st_mode
    for _ in range(_DEEPEST):
        below = []
        for folder in level:
            with suppress(OSError), os.scandir(folder) as found:
                for entry in found:
                    mode = entry.stat(follow_symlinks=False).st_mode
                    yield entry.path, mode
                    if stat.S_ISDIR(mode) and mode & stat.S_IXOTH:
                        below.append(entry.path)
        level = below
