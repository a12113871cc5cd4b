"""Programs that are at work in a folder: those whose current folder is in it."""

from __future__ import annotations

import contextlib
import os
import stat

_DEEPEST = 200


def programs_in(folder: str, uid: int) -> int:
    """How many programs of the user work in `folder`, in whatever namespace they see it."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return 0
    wanted = (status.st_dev, status.st_ino)
    return sum(_is_in(pid, wanted) for pid in os.listdir("/proc") if pid.isdecimal() and _is_of(pid, uid))


def _is_of(pid: str, uid: int) -> bool:
    try:
        return os.stat(f"/proc/{pid}").st_uid == uid
    except OSError:
        return False


def _is_in(pid: str, wanted: tuple[int, int]) -> bool:
    """Whether the program's folder is the wanted one or below it; what has ended is nowhere."""
    try:
        here = os.open(f"/proc/{pid}/cwd", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        for _ in range(_DEEPEST):
            status = os.fstat(here)
            if (status.st_dev, status.st_ino) == wanted:
                return True
            above = os.open("..", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = above
            if _same(os.fstat(here), status):
                return False
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            os.close(here)
    return False


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return stat.S_ISDIR(one.st_mode) and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
