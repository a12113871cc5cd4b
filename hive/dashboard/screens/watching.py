"""What the app keeps telling the screens that show the hive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from textual.message import Message

from hive.dashboard.cells import Row
from hive.dashboard.watch import News, Sight


class Attending(Message):
    """From a screen to the app: it is there now and wants to be told what is known."""


@runtime_checkable
class Watching(Protocol):
    """A screen that shows the hive, and knows which agent a key is meant for.

    It is told nothing before it has said that it is `Attending`: until then it has no widgets.
    """

    is_attending: bool

    def see(self, sight: Sight, journal: str) -> None:
        """A new look; `journal` says why the journal cannot be read."""
        ...

    def hear(self, news: News, feed: Sequence[Row]) -> None:
        """New records, and all rows of the feed."""
        ...

    def agent_in_hand(self) -> str | None: ...
