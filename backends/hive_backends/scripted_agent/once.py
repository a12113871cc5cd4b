"""What was done once and need not, or must not, happen again: one empty file each below the home."""

from __future__ import annotations

import os

from hive_backends.scripted_agent.marks import Marks


class Once:
    """Survives the program, so that a task taken up again repeats nothing."""

    def __init__(self, home: str) -> None:
        self._folder = os.path.join(home, ".scripted", "once")

    def was(self, *name: object) -> bool:
        return os.path.exists(self._path(name))

    def note(self, *name: object) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        os.close(os.open(self._path(name), os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))

    def first(self, *name: object) -> bool:
        """Whether this is the first time; from now on it is not."""
        if self.was(*name):
            return False
        self.note(*name)
        return True

    def _path(self, name: tuple[object, ...]) -> str:
        from hashlib import sha256

        return os.path.join(self._folder, sha256(repr(name).encode()).hexdigest()[:32])


def is_due(name: str, marks: Marks, once: Once, *subject: object) -> bool:
    """Whether a mark holds; one with the word ``once`` holds the first time for `subject` alone."""
    return name in marks and ("once" not in marks.words(name) or once.first(name, *subject))
