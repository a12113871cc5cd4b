"""Files below a folder in which somebody else may put anything: links, pipes and devices among it.

No link on the way is followed, whoever made it, so that nothing outside of the folder is ever reached;
nothing is opened that could keep the reader waiting. Each step is taken from the folder before, which
stays the same one while its name may already be another's.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOST_ENTRIES = 5_000
"""Of one folder that are looked at."""


@contextlib.contextmanager
def folder_beneath(base: Path | int, parts: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder at `parts` below `base`, a path or a descriptor; folders that are missing
    are made, 0700, where `make` says so. Raises `OSError`, for a link on the way too."""
    at = os.open(".", _FOLDER, dir_fd=base) if isinstance(base, int) else os.open(base, _FOLDER)
    try:
        for part in parts:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(_plain(part), 0o700, dir_fd=at)
            below = os.open(_plain(part), _FOLDER, dir_fd=at)
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


@contextlib.contextmanager
def file_beneath(base: Path, parts: Sequence[str]) -> Iterator[int]:
    """A descriptor to read the file at `parts` below `base` by. Raises `OSError`: for a link, for what is no
    regular file, and for one that does not belong to the owner of `base`."""
    with folder_beneath(base, parts[:-1]) as folder:
        descriptor = os.open(_plain(parts[-1]), _FILE, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != base.lstat().st_uid:
            raise PermissionError(errno.EPERM, "no file of the folder's owner", parts[-1])
        yield descriptor
    finally:
        os.close(descriptor)


def write_beneath(base: Path | int, parts: Sequence[str], content: bytes, mode: int = 0o600) -> None:
    """Replace the file at `parts` below `base`, or the link that has its name, so that readers find the old
    content or the new; folders that are missing are made. Raises `OSError`, for a link on the way too."""
    name, part = _plain(parts[-1]), f".{parts[-1]}.part"
    with folder_beneath(base, parts[:-1], make=True) as folder:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)


def found_beneath(base: Path, pattern: Sequence[str], *, most: int) -> list[tuple[str, ...]]:
    """Regular files below `base` that match `pattern`, name by name; at most `most`, and of each folder only
    so many entries are looked at. What cannot be opened has none."""
    try:
        with folder_beneath(base, ()) as folder:
            return list(islice(_found(folder, tuple(pattern)), most))
    except OSError:
        return []


def _found(folder: int, pattern: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    first, *rest = pattern
    for name in _names(folder, first):
        if not rest:
            with contextlib.suppress(OSError):
                if stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    yield (name,)
            continue
        try:
            below = os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            continue
        try:
            yield from ((name, *found) for found in _found(below, tuple(rest)))
        finally:
            os.close(below)


def _names(folder: int, pattern: str) -> Sequence[str]:
    if not any(char in pattern for char in "*?["):
        return (_plain(pattern),)
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, _MOST_ENTRIES)]
    hidden = pattern.startswith(".")
    return sorted(each for each in names if fnmatchcase(each, pattern) and (hidden or each[0] != "."))


def _plain(part: str) -> str:
    """Raises `OSError` for what is no name of an entry."""
    if part in ("", ".", "..") or "/" in part or "\0" in part:
        raise FileNotFoundError(errno.ENOENT, "no name of a file", part)
    return part
