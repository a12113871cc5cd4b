"""What of the machine's files is to be seen in a place.

Everything is read only but the agent's home and memory for temporary files. What is hidden lies below an
empty file system; what is shown again is taken from before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from hive.shells.isolation import syscalls
from hive.shells.isolation.leaving_out import leave_out
from hive.shells.isolation.order import PlaceOrder

_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  # these are what is replaced
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"))
_QUIET = syscalls.MS_NOSUID | syscalls.MS_NODEV


def build_view(order: PlaceOrder) -> None:
    """In a mount namespace of one's own: let only that be seen which `order` shows. Raises `OSError`."""
    syscalls.mount("none", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
    kept = _opened([*order.shown, order.home])
    devices = _opened([f"/dev/{name}" for name in _DEVICES])
    syscalls.set_read_only("/", wanted=True, below=True)
    _own_devices(devices)
    covers = ["/dev"]
    # Outer ones first: what is shown may have hidden folders in it, and they again something shown.
    for path in sorted({*order.hidden, *_TEMPORARY, *kept}, key=len):
        if path in kept:
            _show(path, kept[path])
        elif os.path.isdir(path):
            _empty(path, "mode=1777" if path in _TEMPORARY else "mode=755")
            covers += () if path in _TEMPORARY else (path,)
    syscalls.set_read_only(order.home, wanted=False, below=False)
    leave_out(order.masked, order.home)
    if order.own_user:
        _name_the_user(order)
    for folder in covers:
        syscalls.set_read_only(folder, wanted=True, below=False)
    for source in (*kept.values(), *devices.values()):
        os.close(source)


def mount_processes() -> None:
    """In a process namespace of one's own: /proc shows that and no other. Raises `OSError`."""
    syscalls.mount("proc", "/proc", "proc", _QUIET | syscalls.MS_NOEXEC)


def _opened(paths: Sequence[str]) -> dict[str, int]:
    """Descriptors by path; what is not there is left out."""
    found = {}
    for path in set(paths):
        with suppress(FileNotFoundError):
            found[path] = os.open(path, os.O_PATH | os.O_CLOEXEC)
    return found


def _empty(folder: str, data: str) -> None:
    syscalls.mount("hive", folder, "tmpfs", _QUIET, data)


def _show(path: str, source: int) -> None:
    """Bind what `source` is at `path`, which may have to be made in an empty file system above it."""
    there = f"/proc/self/fd/{source}"
    if not os.path.lexists(path):
        if os.path.isdir(there):
            os.makedirs(path, mode=0o755, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    _bind(there, path)


def _bind(source: str, target: str) -> None:
    syscalls.mount(source, target, flags=syscalls.MS_BIND | syscalls.MS_REC)


def _own_devices(devices: dict[str, int]) -> None:
    """A /dev of few devices, with terminals of its own: those of other agents are not to be seen."""
    syscalls.mount("hive", "/dev", "tmpfs", syscalls.MS_NOSUID, "mode=755")
    for path, source in devices.items():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
        _bind(f"/proc/self/fd/{source}", path)
    for name, target in _LINKS:
        os.symlink(target, f"/dev/{name}")
    for name in ("pts", "shm", "hive"):
        os.mkdir(f"/dev/{name}", 0o755)
    os.close(os.open("/dev/hive/nothing", os.O_CREAT | os.O_WRONLY, 0o000))
    flags = syscalls.MS_NOSUID | syscalls.MS_NOEXEC
    syscalls.mount("devpts", "/dev/pts", "devpts", flags, "newinstance,ptmxmode=0666,mode=620")
    os.symlink("pts/ptmx", "/dev/ptmx")


def _name_the_user(order: PlaceOrder) -> None:
    """Give the place's user a name: programs fail in odd ways where it has none."""
    lines = {
        "passwd": f"{order.user}:x:{order.uid}:{order.gid}::{order.home}:/bin/sh\n",
        "group": f"{order.user}:x:{order.gid}:\n",
    }
    for name, line in lines.items():
        with open(f"/etc/{name}", "rb") as known, open(f"/dev/hive/{name}", "wb") as own:
            own.write(known.read().rstrip(b"\n") + b"\n" + line.encode())
            os.fchmod(own.fileno(), 0o644)
        _bind(f"/dev/hive/{name}", f"/etc/{name}")
