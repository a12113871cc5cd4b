"""Leaves files with secrets out of a place.

A cover over the file alone would fall off as soon as the file is replaced by another of its name
(rename(2)), as editors, installers and Kubernetes do it. So its folder is taken for what was in it when the
place was made, without the file: what comes there later is not to be seen until the agent starts again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from hive.shells.isolation import syscalls

_BEFORE = "/dev/hive/before"
_NOTHING = "/dev/hive/nothing"
_AS_THEY_ARE = ("/", "/dev", "/proc", "/sys", "/tmp", "/var/tmp")  # noqa: S108  # no file is made there
"""Folders that are no snapshot's: what is in them is the kernel's, the place's own, or everything."""


def leave_out(files: Iterable[str], home: str) -> None:
    """In a mount namespace with an own /dev: let none of `files` be seen. Raises `OSError`.

    Where the folder has to stay as it is, or is the agent's own, the file is covered.
    """
    left_out: dict[str, set[str]] = {}
    for path in files:
        folder, name = os.path.split(path)
        if folder in _AS_THEY_ARE or f"{folder}/".startswith(f"{home}/"):
            _cover(path)
        else:
            left_out.setdefault(folder, set()).add(name)
    for folder in sorted(left_out, key=len):
        if os.path.isdir(folder):
            with suppress(PermissionError):  # Nobody's in the place either.
                _take_again(folder, left_out[folder])


def _cover(path: str) -> None:
    if os.path.isfile(path):
        syscalls.mount(_NOTHING, path, flags=syscalls.MS_BIND)


def _take_again(folder: str, without: set[str]) -> None:
    """Let `folder` be what it is now, but for some names in it."""
    names = [name for name in os.listdir(folder) if name not in without]
    os.makedirs(_BEFORE, exist_ok=True)
    syscalls.mount(folder, _BEFORE, flags=syscalls.MS_BIND | syscalls.MS_REC)
    syscalls.mount("hive", folder, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=755")
    for name in names:
        with suppress(FileNotFoundError):  # It went away meanwhile.
            _show_again(f"{_BEFORE}/{name}", f"{folder}/{name}")
    syscalls.unmount(_BEFORE)
    syscalls.set_read_only(folder, wanted=True, below=False)


def _show_again(source: str, target: str) -> None:
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
        return
    if os.path.isdir(source):
        os.mkdir(target)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    syscalls.mount(source, target, flags=syscalls.MS_BIND | syscalls.MS_REC)
