"""Durations in the words of the configuration, for reasons and messages."""

from __future__ import annotations

from datetime import timedelta


def spell(value: timedelta) -> str:
    """A duration as people write it: ``90s``, ``5m``, ``4h``, ``2d``."""
    seconds = int(value.total_seconds())
    for unit, letter in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds and seconds % unit == 0:
            return f"{seconds // unit}{letter}"
    return f"{seconds}s"
