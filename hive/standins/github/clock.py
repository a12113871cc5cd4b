"""The stand-in's own clock: the service that it stands for is another machine, with a clock of its own.

A test that lets a week pass in minutes sets it: `clock.set(at)` stops it there, `clock.advance(seconds)`
moves it on, `clock.run()` lets it go on from where it stands.
"""

import threading
from datetime import UTC, datetime


def _real() -> float:
    return datetime.now(UTC).timestamp()  # noqa: TID251 - this is GitHub's clock, not hive's


def written(moment: float) -> str:
    """A time (seconds since 1970) as GitHub writes it: UTC, whole seconds, `2026-11-30T12:00:00Z`."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(moment: str) -> float:
    """A time as GitHub writes it, or any ISO 8601 time with a zone, in seconds since 1970."""
    return datetime.fromisoformat(moment).timestamp()


class Clock:
    """The present of one forge, the machine's own until somebody sets it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ahead = 0.0
        self._stopped: float | None = None

    def time(self) -> float:
        """The present in seconds since 1970."""
        with self._lock:
            return self._stopped if self._stopped is not None else _real() + self._ahead

    def now(self) -> str:
        """The present as GitHub writes it."""
        return written(self.time())

    def epoch(self) -> int:
        """The present in whole seconds since 1970, for rate-limit headers."""
        return int(self.time())

    def set(self, moment: float) -> None:
        """Stop at `moment` (seconds since 1970)."""
        with self._lock:
            self._stopped = moment

    def advance(self, by_s: float) -> None:
        """Move on by so many seconds, whether it runs or is stopped."""
        with self._lock:
            if self._stopped is None:
                self._ahead += by_s
            else:
                self._stopped += by_s

    def run(self) -> None:
        """Go on from where it stands."""
        with self._lock:
            if self._stopped is not None:
                self._ahead, self._stopped = self._stopped - _real(), None
