"""Where working copies lie in an agent's home, and what an interrupted step left there.

A tree being made is ``.NAME.part``, one that is looked at before its removal ``.NAME.aside``, one that was
judged ``.NAME.gone``: whichever of them is found says what to do next.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass

from hive.shells.trees.git import Failed

_WORD = re.compile(r"[A-Za-z0-9_.-]+")
_PATIENCE_S, _PAUSE_S = 300.0, 0.05


@dataclass(frozen=True, slots=True)
class Folders:
    """Of one tree; `home` is the agent's."""

    home: str
    repo: str
    name: str

    def __post_init__(self) -> None:
        words = [*self.repo.split("/"), self.name]
        if len(words) != 3 or any(_WORD.fullmatch(word) is None or word.strip(".") == "" for word in words):
            raise Failed(f"{self.repo}/{self.name} names no working copy")
        if self.name.startswith("."):
            raise Failed(f"{self.name} names no working copy")

    @property
    def root(self) -> str:
        """Of all trees of the repository."""
        return os.path.join(self.home, "work", *self.repo.split("/"))

    @property
    def tree(self) -> str:
        return os.path.join(self.root, self.name)

    @property
    def store(self) -> str:
        """The agent's copy of the repository, from which its trees are made."""
        return os.path.join(self.home, ".cache", "hive", "stores", f"{self.repo}.git")

    def beside(self, what: str) -> str:
        return os.path.join(self.root, f".{self.name}.{what}")

    def prepare(self) -> None:
        """Make the folders above the tree. Raises `Failed` where a link or a file is in the way."""
        below = os.path.relpath(self.root, self.home).split(os.sep)
        for count in range(len(below)):
            self.check()
            with contextlib.suppress(FileExistsError):
                os.mkdir(os.path.join(self.home, *below[: count + 1]), 0o700)
        self.check()

    def check(self) -> None:
        """Raise `Failed` unless each folder on the way from home to the tree is one and no link: what is
        done to a tree is done nowhere else."""
        folder = self.root
        while len(folder) > len(self.home):
            if os.path.lexists(folder) and not is_folder(folder):
                raise Failed(f"{folder} is no folder; what is there is left alone")
            folder = os.path.dirname(folder)

    def settle(self) -> None:
        """Finish what an interrupted step left: what was judged goes, what was not comes back."""
        remove(self.beside("gone"))
        remove(self.beside("part"))
        aside = self.beside("aside")
        if os.path.lexists(aside):
            self.put_back()

    def put_back(self) -> None:
        if os.path.lexists(self.tree):
            raise Failed(f"{self.beside('aside')} cannot go back: {self.tree} is there again")
        os.rename(self.beside("aside"), self.tree)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time in one home: an earlier daemon's program may still be at work in it."""
        folder = os.path.join(self.home, ".cache", "hive")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, "trees.lock")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES) or time.monotonic() > until:
                raise Failed("another step in the same home does not end") from error
            time.sleep(_PAUSE_S)


def is_folder(path: str) -> bool:
    """Whether `path` is a folder itself, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def remove(path: str) -> None:
    """Remove a folder with all in it; links are removed and never followed. Idempotent."""
    if not os.path.lexists(path):
        return
    if not is_folder(path):
        raise Failed(f"{path} is no folder; what is there is left alone")
    for folder, _, _ in os.walk(path):
        # Caches of packages are written read only.
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)
    shutil.rmtree(path)


def held(home: str) -> int:
    """Bytes that the agent's files take on disk, each counted once however many names it has."""
    total, seen = 0, set()
    for folder, _, names in os.walk(home):
        for name in names:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(folder, name))
                if status.st_nlink > 1:
                    if status.st_ino in seen:
                        continue
                    seen.add(status.st_ino)
                total += status.st_blocks * 512
    return total


def require_room(home: str, quota: int | None, fullest: float) -> None:
    """Raise `Failed` where the volume or the agent's own share of it is used up."""
    volume = os.statvfs(home)
    used = 1 - volume.f_bavail / volume.f_blocks if volume.f_blocks else 0.0
    if used >= fullest:
        raise Failed(
            f"no room: the volume of {home} is {used:.1%} full, and from {fullest:.0%} on no working copy is "
            "made (isolation.disk_full)"
        )
    if quota is not None and (taken := held(home)) > quota:
        raise Failed(
            f"no room: {home} holds {taken / 2**30:.2f} GiB, more than the agent's {quota / 2**30:.2f} GiB "
            "(isolation.disk)"
        )
