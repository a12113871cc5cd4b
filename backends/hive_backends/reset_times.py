"""When a limit ends, from the words that agent programs write: ``resets 3pm (Europe/Berlin)``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_RESET = re.compile(
    r"\b(?:resets?|try again|automatically)\s+(?:at\s+|on\s+)?"
    r"(?:(?P<month>[A-Za-z]{3})[a-z]*\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?(?:,|\s+at)?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>[ap]\.?m\b\.?)?"
    r"(?:\s*\((?P<paren>[^)\s]+)\)|\s+(?P<bare>(?:GMT|UTC)(?:[+-]\d{1,2}(?::?\d{2})?)?|[A-Z]{2,5})\b(?![+-]\d))?",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:resets?|reset|try again|retry)\s+(?:in|after)\s+"
    r"(?=\d)(?:(?P<days>\d+)\s*d(?:ays?)?\b,?\s*)?(?:(?P<hours>\d+)\s*h(?:(?:ou)?rs?)?(?=[\W\d]|$),?\s*)?"
    r"(?:(?P<minutes>\d+)\s*m(?:in(?:ute)?s?)?(?=[\W\d]|$),?\s*)?(?:(?P<seconds>\d+)\s*s(?:ec(?:ond)?s?)?\b)?",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"\|(?P<epoch>\d{10})\b")
# The abbreviations that programs print for zones of North America; others are ambiguous or unknown.
_ABBREVIATED = {
    "UTC": 0, "GMT": 0,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip


def reset_time(text: str, *, now: datetime, zone: str) -> datetime | None:
    """The moment (UTC) that `text` names, or None when it names none that can be understood.

    It follows "resets", "try again" or "continuing automatically". A clock time alone is its next occurrence
    after `now`; a date without a year is the next one of its name. A zone in the text wins over `zone`; an
    unknown one in the text gives None.
    """
    found = _RESET.search(text)
    if found is None:
        return _counted(text, now)
    where = _zone(found["paren"] or found["bare"] or zone)
    hour = _hour(int(found["hour"]), found["half"])
    minute = int(found["minute"] or 0)
    if where is None or hour is None or minute > 59 or not (found["half"] or found["minute"]):
        return None
    local = now.astimezone(where)
    then = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if found["month"] is not None:
        return _on_date(then, local, found)
    if then <= local:
        then += timedelta(days=1)
    return then.astimezone(UTC)


def _counted(text: str, now: datetime) -> datetime | None:
    """A span from now (``resets in 3h 20m``), or the seconds since 1970 that stand after a bar."""
    epoch = _EPOCH.search(text)
    if epoch:
        return datetime.fromtimestamp(int(epoch["epoch"]), UTC)
    span = _SPAN.search(text)
    if span is None or not any(span.groups()):
        return None
    parts = {unit: int(count) for unit, count in span.groupdict(default="0").items()}
    return (now + timedelta(**parts)).astimezone(UTC)


def _hour(hour: int, half: str | None) -> int | None:
    if half is None:
        return hour if hour <= 23 else None
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half.lower().startswith("p") else 0)


def _on_date(then: datetime, local: datetime, found: re.Match[str]) -> datetime | None:
    """`then` moved to the date in `found`; without a year, the next one of its name."""
    month = found["month"].lower()
    if month not in _MONTHS:
        return None
    try:
        dated = then.replace(
            year=int(found["year"] or local.year), month=_MONTHS.index(month) + 1, day=int(found["day"])
        )
        if found["year"] is None and dated < local - timedelta(days=1):
            dated = dated.replace(year=local.year + 1)
    except ValueError:
        return None  # no such day
    return dated.astimezone(UTC)


def _zone(name: str) -> tzinfo | None:
    upper = name.upper()
    if upper in _ABBREVIATED:
        return _offset(_ABBREVIATED[upper] * 60)
    shifted = re.fullmatch(r"(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?", upper)
    if shifted:
        minutes = int(shifted[2]) * 60 + int(shifted[3] or 0)
        return _offset(-minutes if shifted[1] == "-" else minutes)
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        # Not a zone of the database, or not even a name that could be one.
        return None


def _offset(minutes: int) -> tzinfo | None:
    return timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else None
