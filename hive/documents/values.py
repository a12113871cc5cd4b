"""Field types for models of input: durations, times and flags, from text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

_DURATION = re.compile(r"([0-9]{1,9})\s*([smhd])")
_MOST_DIGITS = 18
"""What 64 bits hold; GitHub's ids have eleven."""
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_TIME = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})", re.ASCII
)


def duration(text: str) -> timedelta:
    """``90s``, ``5m``, ``4h``, ``2d``. Raises `ValueError` with what to write."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is no duration; write 90s, 5m, 4h or 2d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def moment(text: str) -> datetime:
    """ISO 8601 with zone, returned in UTC. Raises `ValueError` with what to write."""
    if _TIME.fullmatch(text.strip()) is None:
        raise ValueError(f"'{text}' is no time with zone; write it like 2026-11-30T12:00:00Z")
    try:
        return datetime.fromisoformat(text.strip().upper().replace("Z", "+00:00")).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"'{text}' is no time that exists") from error


def _duration(value: Any) -> Any:
    return duration(value) if isinstance(value, str) else value


def _moment(value: Any) -> Any:
    return moment(value) if isinstance(value, str) else value


def _flag(value: Any) -> Any:
    if isinstance(value, str):
        if value in ("true", "True", "TRUE"):
            return True
        if value in ("false", "False", "FALSE"):
            return False
        raise ValueError(f"'{value}' is neither true nor false")
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?[0-9]+", value) is None:
            raise ValueError(f"'{value}' is no whole number")
        if len(value.lstrip("+-0")) > _MOST_DIGITS:
            raise ValueError(f"a whole number of at most {_MOST_DIGITS} digits is expected")
        return int(value)
    return value


def _zone(value: str) -> str:
    # Late: few files name one.
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(value)
    except (ValueError, OSError, KeyError):
        raise ValueError(f"'{value}' is no time zone; write it like Europe/Berlin") from None
    return value


def _number(value: Any) -> Any:
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?", value) is None:
            raise ValueError(f"'{value}' is no number; write it like 0.5")
        return float(value)
    return value


Duration = Annotated[timedelta, BeforeValidator(_duration)]
"""A `timedelta`, from ``90s``, ``5m``, ``4h`` or ``2d``."""

Time = Annotated[datetime, BeforeValidator(_moment)]
"""An aware `datetime` in UTC, from ISO 8601 with zone."""

Flag = Annotated[bool, BeforeValidator(_flag)]
"""``true`` or ``false``; ``yes``, ``on`` and ``1`` are text, not flags."""

Whole = Annotated[int, BeforeValidator(_whole)]
"""A whole number in decimal digits."""

Number = Annotated[float, BeforeValidator(_number)]
"""A number in decimal digits, with or without a fraction; neither infinite nor `nan`."""

Zone = Annotated[str, AfterValidator(_zone)]
"""A time zone by its name, as ``Europe/Berlin``."""

Text = str
"""Text as it is written."""
