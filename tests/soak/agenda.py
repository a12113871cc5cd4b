"""Simulated time, and what is to happen when."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from datetime import datetime, timedelta


class Agenda:
    """The clock of everybody, and what they mean to do. Time passes only by `pass_to`."""

    def __init__(self, at: datetime, moved: Callable[[datetime], None]) -> None:
        self._at = at
        self._moved = moved
        self._due: list[tuple[datetime, int, Callable[[], None]]] = []
        self._count = itertools.count()

    def now(self) -> datetime:
        return self._at

    def after(self, span: timedelta, what: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self._at + span, next(self._count), what))

    def pass_to(self, at: datetime) -> None:
        self._at = max(self._at, at)
        self._moved(self._at)

    def next_due(self) -> datetime | None:
        return self._due[0][0] if self._due else None

    def take_due(self) -> list[Callable[[], None]]:
        """What is due by now, in order."""
        found = []
        while self._due and self._due[0][0] <= self._at:
            found.append(heapq.heappop(self._due)[2])
        return found
