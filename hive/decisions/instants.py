"""Moments in machine-readable output."""

from __future__ import annotations

from datetime import datetime


def iso(moment: datetime) -> str:
    """ISO 8601 with ``Z`` for UTC, as every document of hive's spells times."""
    return moment.isoformat().replace("+00:00", "Z")
