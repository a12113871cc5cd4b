"""Where the project's text is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = (("", "hive"), ("backends", "hive_backends"), ("guardrails", "hive_guardrails"))
"""Source root and package."""


def modules(*folders: str) -> Iterator[Path]:
    """All Python files below `folders` of the project."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
