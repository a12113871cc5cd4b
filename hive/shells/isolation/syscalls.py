"""Linux calls that the standard library of Python 3.11 lacks. Each raises `OSError`."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Sequence

_LIBC = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_ATTR_RDONLY, _ATTR_NOSUID = 1, 2
_MNT_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_SETATTR = 442
"""The same number on every architecture: it came after they were made one."""
_SETGROUPS = {"x86_64": 116, "aarch64": 159}
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
_NOBODY = 0xFFFFFFFF
_CAPABILITY_VERSION_3 = 0x20080522


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("namespace", ctypes.c_uint64),
    )


def unshare(flags: int) -> None:
    _done(_LIBC.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    _done(
        _LIBC.mount(
            os.fsencode(source),
            os.fsencode(target),
            kind.encode() or None,
            ctypes.c_ulong(flags),
            data.encode() or None,
        ),
        target,
    )


def unmount(target: str) -> None:
    """Take off what is mounted at `target` and below it."""
    _done(_LIBC.umount2(os.fsencode(target), _MNT_DETACH), target)


def set_read_only(target: str, *, wanted: bool, below: bool) -> None:
    """Make the mount at `target` read only or not, and those `below` it; never setuid in either case.

    Linux 5.12.
    """
    attributes = _MountAttributes(
        _ATTR_NOSUID | (_ATTR_RDONLY if wanted else 0), 0 if wanted else _ATTR_RDONLY, 0, 0
    )
    result = _LIBC.syscall(
        ctypes.c_long(_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE if below else 0),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _done(result, target)


def drop_bounding_set() -> None:
    """No program started from here on can get a capability, whatever its file has."""
    with open("/proc/sys/kernel/cap_last_cap", "rb") as file:
        last = int(file.read())
    for capability in range(last + 1):
        _done(_LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0), "capability bounding set")


def drop_capabilities() -> None:
    """Effective, permitted and inheritable, of this thread."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _done(_LIBC.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def forbid_new_privileges() -> None:
    """setuid bits and file capabilities are of no use from here on."""
    _done(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


def end_with_parent(number: int) -> None:
    """Get signal `number` when the parent ends. To be called after a change of user, which undoes it."""
    _done(_LIBC.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0), "parent death signal")


def close_memory() -> None:
    """Let no other process look into this one."""
    _done(_LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")


def set_file_user(uid: int, gid: int) -> None:
    """Whose rights this thread alone has over files, see setfsuid(2); root's own come back with 0."""
    # These two return the value before, and tell of no failure: asking again, for nobody, does.
    _LIBC.setfsgid(ctypes.c_uint(gid))
    _LIBC.setfsuid(ctypes.c_uint(uid))
    if (_LIBC.setfsuid(ctypes.c_uint(_NOBODY)), _LIBC.setfsgid(ctypes.c_uint(_NOBODY))) != (uid, gid):
        raise PermissionError(errno.EPERM, "files cannot be worked on as this user", str(uid))


def set_groups(groups: Sequence[int]) -> None:
    """The further groups of this thread alone: libc's own call is for all threads."""
    numbers = (ctypes.c_uint32 * len(groups))(*groups)
    number = ctypes.c_long(_SETGROUPS[os.uname().machine])
    _done(_LIBC.syscall(number, ctypes.c_size_t(len(groups)), numbers), "groups")


def _done(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
