"""Which versions of agents' programs are installed, asked of the programs, in a HOME of their own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from hive.app.doctor.machine import said_by
from hive.decisions.doctor.machine import UNUSABLE
from hive.decisions.doctor.programs import SILENT
from hive.errors import Unreachable

_TIMEOUT = 20.0
"""Seconds. Measured on two busy cores: six of them at once, each a runtime of its own, take over ten."""

_Stamp: TypeAlias = tuple[str, int, int]


def version_of(command: Sequence[str]) -> str:
    """The first line that `command` says; `SILENT` where it does not end, empty where it is not there."""
    with tempfile.TemporaryDirectory(prefix="hive-version-", ignore_cleanup_errors=True) as home:
        bare = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "LANG": "C.UTF-8", "TERM": "dumb"}
        try:
            return said_by(command[0], *command[1:], environment=bare, timeout=_TIMEOUT) or ""
        except Unreachable:
            return SILENT


class ProgramVersions:
    """Asks a program again only when its file has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[_Stamp, str]] = {}

    def of(self, command: Sequence[str]) -> str:
        """The version that `command` says; empty where none is to be had."""
        stamp = _stamp(command[0]) if command else None
        if stamp is None:
            return ""
        asked = tuple(command)
        known = self._known.get(asked)
        if known is not None and known[0] == stamp:
            return known[1]
        said = version_of(asked)
        version = "" if said == SILENT or said.startswith(UNUSABLE) else said[:200]
        if version:
            self._known[asked] = (stamp, version)
        return version


def _stamp(program: str) -> _Stamp | None:
    """What changes with the program's file; links are followed, as updates lay them anew."""
    path = shutil.which(program)
    try:
        real = Path(path or "").resolve(strict=True)
        status = real.stat()
    except OSError:
        return None
    return str(real), status.st_mtime_ns, status.st_size
