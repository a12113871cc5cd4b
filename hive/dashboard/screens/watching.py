"""What the app keeps telling the screens that show the hive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from hive.dashboard.cells import Row
from hive.dashboard.watch import News, Sight


@runtime_checkable
class Watching(Protocol):
    """A screen that shows the hive, and knows which agent a key is meant for."""

    def see(self, sight: Sight, journal: str) -> None:
        """A new look; `journal` says why the journal cannot be read."""
        ...

    def hear(self, news: News, feed: Sequence[Row]) -> None:
        """New records, and all rows of the feed."""
        ...

    def agent_in_hand(self) -> str | None: ...
