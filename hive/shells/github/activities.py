"""When it is worth asking what was done in a repository: as long as looks see nothing happen, it is not.

What looks do not see (a label that gets another name, a draft of a release) is told by the lists that are
asked for all the same from time to time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from hive.facts.activity import Activity
from hive.shells.github.activity import activity_of
from hive.shells.github.calls import Calls
from hive.shells.github.standing import Standings

_LATE = timedelta(minutes=3)
"""How long after something happened the lists are asked again at each look (chosen): GitHub's feed of events
may be late by minutes (docs: "Events")."""

_FRESH = timedelta(minutes=10)
"""How long they are believed where nothing happened (chosen)."""


@dataclass(frozen=True, slots=True)
class _Asked:
    at: datetime
    label: str
    activity: Activity


class Activities:
    """By repository."""

    def __init__(self, calls: Calls, standings: Standings) -> None:
        self._calls = calls
        self._standings = standings
        self._pulses: dict[str, tuple[int, datetime]] = {}
        self._asked: dict[str, _Asked] = {}

    def saw(self, repo: str, pulse: int, now: datetime) -> None:
        """A look saw this pulse; another one than before means that something happened."""
        if repo not in self._pulses or self._pulses[repo][0] != pulse:
            self._pulses[repo] = (pulse, now)

    def of(self, repo: str, account: str, label: str, now: datetime) -> Activity:
        """As the newest lists tell it, or as they did where nothing happened since."""
        asked = self._asked.get(repo)
        _, moved = self._pulses.get(repo, (0, now))
        is_quiet = asked is not None and asked.label == label and asked.at - moved > _LATE
        if asked is not None and is_quiet and now - asked.at < _FRESH:
            return asked.activity
        activity = activity_of(self._calls, self._standings, repo, account, label)
        self._asked[repo] = _Asked(now, label, activity)
        return activity
