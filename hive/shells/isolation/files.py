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
def as_user(folder: Path, uid: int | None) -> Iterator[int]:
    """A descriptor of `folder`, below which this thread has the rights of `uid` over files meanwhile, and no
    group's; its own where `uid` is None. Raises `OSError`."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if uid is None:
            yield descriptor
            return
        groups = os.getgroups()
        try:
            syscalls.set_file_user(uid, uid)
            syscalls.set_groups(())
            yield descriptor
        finally:
            syscalls.set_file_user(os.geteuid(), os.getegid())
            syscalls.set_groups(groups)
    finally:
        os.close(descriptor)


def give(folder: Path, uid: int) -> None:
    """Make `folder` and all in it the user's, unless it is already. Raises `OSError`.

    What belongs to another than the folder's owner until now stays as it is, and no link is followed.
    """
    before = folder.lstat().st_uid
    if before == uid:
        return
    for _, folders, files, at in os.fwalk(folder):
        for name in (*folders, *files):
            if os.stat(name, dir_fd=at, follow_symlinks=False).st_uid == before:
                os.chown(name, uid, uid, dir_fd=at, follow_symlinks=False)
    # Last: a walk that was cut off is done again.
    os.lchown(folder, uid, uid)
