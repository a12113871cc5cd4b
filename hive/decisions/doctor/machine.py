"""This machine: the programs that hive itself runs, and the folder that it keeps its state in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hive.decisions.doctor.finding import Finding, ok, problem, warning

OLDEST_PYTHON = (3, 11)
OLDEST_TMUX = (3, 2)
"""`new-session -e`, `copy-mode -q` and `run-shell -C` are there from 3.2 on (its change log)."""
OLDEST_GIT = (2, 32)
"""Agents' git is configured by GIT_CONFIG_GLOBAL, which came with 2.32 (its release notes)."""
_LITTLE_SPACE = 1 << 30
_NO_SPACE = 64 << 20
"""Bytes (chosen): clones and worktrees of agents fill the first in a day, the journal the second."""
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs"})
"""SQLite, "Write-Ahead Logging": all processes must be on one host, WAL does not work over a network."""
UNUSABLE = "does not run"
"""How begins what is said in place of a version by a program that fails."""
_VERSION = re.compile(r"(\d+)\.(\d+)")


def python_finding(version: tuple[int, int, int]) -> Finding:
    found = ".".join(map(str, version))
    if version[:2] < OLDEST_PYTHON:
        return problem("python", found, "install Python 3.11 or later, and hive into it")
    return ok("python", found)


def tmux_finding(said: str | None) -> Finding:
    """`said` by ``tmux -V``; None where there is none. Known faults of old versions are worked around."""
    if said is None:
        return problem("tmux", "it is not installed", "install tmux 3.2 or later: apt install tmux")
    number = _version_in(said)
    if number is None and said.startswith("tmux "):
        return ok("tmux", f"{said}, built from source")
    if number is None or number < OLDEST_TMUX:
        return problem("tmux", f"'{said}'", "install tmux 3.2 or later: apt install tmux")
    return ok("tmux", said)


def git_finding(said: str | None) -> Finding:
    """`said` by ``git --version``; None where there is none."""
    if said is None:
        return problem("git", "it is not installed", "install git 2.32 or later: apt install git")
    number = _version_in(said)
    if number is None or number < OLDEST_GIT:
        return problem("git", f"'{said}'", "install git 2.32 or later: apt install git")
    return ok("git", said)


def _version_in(text: str) -> tuple[int, int] | None:
    match = None if text.startswith(UNUSABLE) else _VERSION.search(text)
    return (int(match[1]), int(match[2])) if match else None


@dataclass(frozen=True, slots=True)
class StateFolder:
    """What was seen of a state folder, or of the nearest folder above where it does not exist yet.

    Attributes:
        seen: The folder that was looked at: `path`, or one above it.
        is_folder: Whether `seen` is one.
        is_own: Whether `seen` is owned by hive's user; told for `path` itself only.
        mode: Permission bits of `path`; None where it does not exist.
        free: Bytes.
        filesystem: As in the table of mounts; empty where it is not known.
        wal_fault, socket_fault: Why SQLite's WAL, or a Unix socket, does not work there; empty: it does.
        sockets: Where hive's sockets will lie.
        sockets_moved: Whether that is outside of the folder, its path being too long.
    """

    path: str
    seen: str
    is_folder: bool = True
    is_own: bool = True
    is_writable: bool = True
    mode: int | None = 0o700
    free: int = 1 << 40
    filesystem: str = ""
    wal_fault: str = ""
    socket_fault: str = ""
    sockets: str = ""
    sockets_moved: bool = False


def state_folder_findings(folder: StateFolder) -> Iterator[Finding]:
    name = "state folder"
    yield _usable(name, folder)
    if not (folder.is_folder and folder.is_writable):
        return
    yield _space(f"{name}: space", folder.free)
    if folder.filesystem in _NETWORK or folder.wal_fault:
        why = folder.wal_fault or f"it lies on {folder.filesystem}, which a journal (SQLite WAL) cannot use"
        yield problem(f"{name}: journal", why, "set `state` to a folder on a disk of this machine")
    else:
        yield ok(f"{name}: journal", f"SQLite's WAL works on {folder.filesystem or 'its filesystem'}")
    yield _sockets(f"{name}: sockets", folder)


def _usable(name: str, folder: StateFolder) -> Finding:
    exists = folder.mode is not None
    if not folder.is_folder:
        return problem(name, f"{folder.seen} is no folder", "set `state` to a folder, or move the file away")
    if exists and not folder.is_own:
        return problem(name, f"{folder.path} belongs to another user", "chown it, or set `state` elsewhere")
    if not folder.is_writable:
        what = folder.path if exists else f"{folder.path} is not there, and {folder.seen}"
        return problem(name, f"{what} cannot be written", "make it writable, or set `state` elsewhere")
    if folder.mode is None:
        return ok(name, f"{folder.path} will be made")
    if folder.mode & 0o077:
        said = f"{folder.path} has mode {folder.mode:04o}: others may look into it"
        return warning(name, said, f"chmod 700 {folder.path} (hive does it at its next start)")
    return ok(name, f"{folder.path}, mode {folder.mode:04o}")


def _space(name: str, free: int) -> Finding:
    found = f"{free / (1 << 30):.1f} GiB free"
    if free < _NO_SPACE:
        return problem(name, found, "make room, or set `state` to a folder on another disk")
    if free < _LITTLE_SPACE:
        return warning(name, found, "make room: clones and worktrees of agents need it")
    return ok(name, found)


def _sockets(name: str, folder: StateFolder) -> Finding:
    if folder.socket_fault:
        return problem(name, folder.socket_fault, "set `state` to a folder on a local filesystem")
    if folder.sockets_moved:
        return ok(name, f"the path is too long for them; they go to {folder.sockets}")
    return ok(name, f"in {folder.sockets}")
