"""The machine's clock: the only place that reads it, so that everywhere else time is an argument."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The `Clock` of a real run."""

    def now(self) -> datetime:
        """The present, aware, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one reader of the clock
