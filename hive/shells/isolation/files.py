"""Work on an agent's files with the agent's rights, whatever it has put in the way.

An agent may make a link of any name in its home. What root writes there by that name would go where the
link leads; what the agent's own user writes goes only where that one may write.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from hive.shells.isolation import syscalls


@contextlib.contextmanager
def as_user(folder: Path, uid: int | None) -> Iterator[Path]:
    """Another path of `folder` by which it can be reached with the rights of `uid`, which this thread has
    meanwhile over files; with its own where `uid` is None. Raises `OSError`."""
    if uid is None:
        yield folder
        return
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        syscalls.set_file_user(uid, uid)
        try:
            yield Path(f"/proc/self/fd/{descriptor}")
        finally:
            syscalls.set_file_user(os.geteuid(), os.getegid())
    finally:
        os.close(descriptor)


def give(folder: Path, uid: int) -> None:
    """Make `folder` and all in it the user's, unless it is already. Raises `OSError`."""
    if folder.lstat().st_uid == uid:
        return
    for path, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.lchown(os.path.join(path, name), uid, uid)
    # Last: a walk that was cut off is done again.
    os.lchown(folder, uid, uid)
