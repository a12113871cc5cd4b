"""This machine: versions of programs, and the state folder, tried out in a folder that is removed again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from hive.app.doctor.examination import Check
from hive.app.places import Places
from hive.decisions.doctor.finding import Finding
from hive.decisions.doctor.machine import (
    UNUSABLE,
    StateFolder,
    git_finding,
    python_finding,
    state_folder_findings,
    tmux_finding,
)
from hive.errors import Unreachable

TIMEOUT = 10.0
"""Seconds for a program to say its version."""
_MOUNTS = Path("/proc/self/mounts")


def machine_checks(state: Path) -> list[Check]:
    return [
        Check("python", lambda: [python_finding(sys.version_info[:3])]),
        Check("tmux", lambda: [tmux_finding(said_by("tmux", "-V"))]),
        Check("git", lambda: [git_finding(said_by("git", "--version"))]),
        Check("state folder", lambda: _state(state)),
    ]


def said_by(
    program: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> str | None:
    """The first line of what `program` prints, with no input; None where it is not on PATH.

    It begins with `UNUSABLE` where the program fails. `environment` is the whole of it; None is hive's own.
    Raises `Unreachable` when it does not end within `timeout` seconds, and ends it with all that it started.
    """
    if shutil.which(program) is None:
        return None
    try:
        running = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=None if environment is None else dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        return f"{UNUSABLE}: {error.strerror}"
    with running:
        try:
            out, told = running.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            os.killpg(running.pid, signal.SIGKILL)
            said = f"{program} did not answer '{' '.join(arguments)}' within {timeout:.0f} s"
            raise Unreachable(program, said) from error
    lines = (out.strip() or told.strip()).splitlines()
    if running.returncode:
        return f"{UNUSABLE}: {lines[-1] if lines else f'exit code {running.returncode}'}"
    return lines[0] if lines else ""


def _state(state: Path) -> Iterator[Finding]:
    yield from state_folder_findings(look_at_state(state))


def look_at_state(state: Path) -> StateFolder:
    """What is there, and whether a journal and sockets work on its filesystem."""
    seen = next(each for each in (state, *state.parents) if os.path.lexists(each))
    exists, is_folder = seen == state, seen.is_dir()
    status = seen.stat() if is_folder else seen.lstat()
    is_writable = is_folder and os.access(seen, os.W_OK | os.X_OK)
    wal, sock = _tried(seen) if is_writable else ("", "")
    sockets = Places(state).sockets
    return StateFolder(
        path=str(state),
        seen=str(seen),
        is_folder=is_folder,
        is_own=status.st_uid == os.geteuid(),
        is_writable=is_writable,
        mode=status.st_mode & 0o7777 if exists else None,
        free=shutil.disk_usage(seen).free,
        filesystem=_filesystem(seen),
        wal_fault=wal,
        socket_fault=sock,
        sockets=str(sockets),
        sockets_moved=not sockets.is_relative_to(state),
    )


def _tried(folder: Path) -> tuple[str, str]:
    """Why SQLite's WAL, and a Unix socket, do not work below `folder`; empty where they do."""
    try:
        with tempfile.TemporaryDirectory(prefix=".hive-doctor-", dir=folder) as name:
            return _journal_fault(Path(name)), _socket_fault(name)
    except OSError as error:
        return f"no folder can be made in {folder}: {error.strerror}", ""


def _journal_fault(folder: Path) -> str:
    try:
        connection = sqlite3.connect(folder / "journal.db")
        try:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            connection.execute("CREATE TABLE tried (one)")
            connection.commit()
        finally:
            connection.close()
    except sqlite3.Error as error:
        return f"a journal cannot be written: {error}"
    return "" if mode == "wal" else f"SQLite has no write-ahead log here, but mode '{mode}'"


def _socket_fault(folder: str) -> str:
    """By a relative name in the folder's descriptor: here the path's length is not the question."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.bind(f"/proc/self/fd/{descriptor}/s")
    except OSError as error:
        return f"no Unix socket can be made there: {error.strerror}"
    finally:
        os.close(descriptor)
    return ""


def _filesystem(folder: Path) -> str:
    """Of the mount that `folder` lies on; empty where /proc does not tell."""
    try:
        lines = _MOUNTS.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    here, best, found = os.path.realpath(folder), -1, ""
    for line in lines:
        _, at, kind, *_ = line.split()
        at = at.replace("\\040", " ")
        if len(at) >= best and (here == at or here.startswith(at.rstrip("/") + "/")):
            best, found = len(at), kind
    return found
