"""Time zones as agent programs print them: ``Europe/Vienna``, ``Etc/GMT+5``, ``GMT+1``, ``PST``."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

_HOURS = {
    "UTC": 0, "GMT": 0, "Z": 0,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "CET": 1, "CEST": 2, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip
"""Abbreviations that mean one thing in the programs' languages; others are ambiguous or unknown."""
_REGIONS = {
    "ET": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "PT": "America/Los_Angeles",
    "EASTERN": "America/New_York",
    "CENTRAL": "America/Chicago",
    "MOUNTAIN": "America/Denver",
    "PACIFIC": "America/Los_Angeles",
}
_SHIFTED = re.compile(r"(?:GMT|UTC)?([+-])([0-9]{1,2})(?::?([0-5][0-9]))?")


def zone_of(name: str) -> tzinfo | None:
    """The zone, or None where nobody can tell."""
    upper = name.upper()
    if upper in _HOURS:
        return timezone(timedelta(hours=_HOURS[upper]))
    shifted = _SHIFTED.fullmatch(upper)
    if shifted:
        minutes = int(shifted[2]) * 60 + int(shifted[3] or 0)
        return _offset(-minutes if shifted[1] == "-" else minutes)
    try:
        return ZoneInfo(_REGIONS.get(upper) or (_spelled().get(upper, name) if "/" in name else name))
    except (LookupError, ValueError, OSError):
        # Not a zone of the database, or not even a name that could be one.
        return None


@cache
def _spelled() -> dict[str, str]:
    """Names of the database by their capitals: the database itself knows one spelling alone."""
    return {name.upper(): name for name in available_timezones()}


def _offset(minutes: int) -> tzinfo | None:
    return timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else None
