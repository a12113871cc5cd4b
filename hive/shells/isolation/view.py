"""What of this machine an agent's place leaves out, and what has to stay for its program to run."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import hive

_RUNTIME = "/run"
"""Sockets of the machine's services: of containers, of the session's bus."""
_NAMES = ("/run/systemd/resolve",)
"""What /etc/resolv.conf leads to."""


def hidden_folders(state: Path, sockets: Path) -> tuple[str, ...]:
    """Hive's own folders and its user's home."""
    home = pwd.getpwuid(os.geteuid()).pw_dir if _has_name() else ""
    folders = [str(state), str(sockets), _RUNTIME, home, os.environ.get("HOME", "")]
    return tuple(sorted({os.path.realpath(each) for each in folders if os.path.isabs(each) and each != "/"}))


def _has_name() -> bool:
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return True


def needed_paths() -> tuple[str, ...]:
    """Of hive's own Python, in which its hooks and the scripted agent run; and of names of hosts."""
    package = Path(hive.__file__).resolve().parent.parent
    bases = {sys.prefix, sys.base_prefix, str(package)} - {"/usr", "/usr/local", "/"}
    return tuple(sorted({*bases, *(each for each in _NAMES if os.path.isdir(each))}))


def program_paths(program: str, path: str, shown: Sequence[str] = ()) -> tuple[str, ...]:
    """Folders that `program` needs to start, found along its links; none that is shown anyway."""
    found = shutil.which(program, path=path)
    if found is None:
        return ()
    folders = {_installation(Path(each)) for each in _links(os.path.abspath(found))}
    return tuple(sorted(str(each) for each in folders if not _within(each, shown)))


def _links(path: str) -> Iterator[str]:
    """`path` and what it leads to, link by link."""
    for _ in range(20):
        yield path
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))


def _installation(file: Path) -> Path:
    """The folder that came with a program: a package's, or the one that has its ``bin``; else its own."""
    parts = file.parts
    if "node_modules" in parts:
        return Path(*parts[: parts.index("node_modules") + 1])
    folder = file.parent
    if folder.name == "bin" and folder.parent.name not in (".local", "") and not _is_home(folder.parent):
        return folder.parent
    return folder


def _is_home(folder: Path) -> bool:
    return folder in (Path.home(), Path("/usr"), Path("/"))


def names_of(path: str) -> tuple[str, ...]:
    """Of a file: its own and those that it leads to by links, each with no link among its folders."""
    found = []
    for _ in range(20):
        folder, name = os.path.split(path)
        path = os.path.join(os.path.realpath(folder), name)
        found.append(path)
        if not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return tuple(dict.fromkeys(found))


def _within(folder: Path, shown: Sequence[str]) -> bool:
    return any(folder.is_relative_to(each) for each in ("/usr", "/bin", "/sbin", "/lib", *shown))


def closed_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """Folders on the way to `paths` that only some users may pass: the way has to be made anew."""
    found = set()
    for path in paths:
        for folder in Path(path).parents:
            if str(folder) != "/" and folder.is_dir() and not folder.stat().st_mode & stat.S_IXOTH:
                found.add(str(folder))
    return tuple(sorted(found))
