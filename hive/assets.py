"""Finds the data that is shipped with hive: in a wheel below `hive/_assets`, in a checkout beside `hive/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hive.errors import HiveError

_PACKAGE = Path(__file__).resolve().parent


def path(name: str) -> Path:
    """The shipped file or folder `name` (``config/acmm.yaml``).

    Raises `HiveError` when the installation lacks it.
    """
    for root in (_PACKAGE / "_assets", _PACKAGE.parent):
        candidate = root / name
        if candidate.exists():
            return candidate
    raise HiveError(f"this installation lacks {name}; install hive again")


def text(name: str) -> str:
    """The content of the shipped file `name`, UTF-8."""
    return path(name).read_text(encoding="utf-8")


def data(name: str) -> bytes:
    return path(name).read_bytes()


def names(folder: str, suffix: str) -> Iterator[str]:
    """Names of the shipped files in `folder` that end in `suffix`, sorted."""
    return iter(sorted(entry.name for entry in path(folder).iterdir() if entry.name.endswith(suffix)))
