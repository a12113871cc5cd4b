"""A clock that stands still until it is told otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""A Monday morning."""


class FakeClock:
    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta | float) -> datetime:
        """Go forward by a duration or a number of seconds; return the new present."""
        self._now += by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self._now
