"""Who is told of what, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from hive.facts.needs import Need, NeedKind

URGENT = frozenset({NeedKind.INCIDENT})
"""Kinds that wait neither for the end of quiet hours nor for a digest, unless the operator says so."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Every day from `begins` to `ends`, past midnight where `ends` is the earlier one, by `zone`'s clock."""

    begins: time
    ends: time
    zone: str = "UTC"

    def covers(self, now: datetime) -> bool:
        there = now.astimezone(ZoneInfo(self.zone)).time()
        if self.begins <= self.ends:
            return self.begins <= there < self.ends
        return there >= self.begins or there < self.ends


@dataclass(frozen=True, slots=True)
class Channel:
    """One place that messages go to.

    Attributes:
        kinds, agents, repos: What it takes; empty means all.
        per_hour: The most messages in any hour; what is beyond waits and goes in one.
        digest: Times of day at which what is not urgent goes, together; empty: at once.
        resolved: Whether it is told when a need that it was told of has gone.
    """

    name: str
    kinds: frozenset[NeedKind] = frozenset()
    agents: frozenset[str] = frozenset()
    repos: frozenset[str] = frozenset()
    per_hour: int = 12
    digest: tuple[time, ...] = ()
    resolved: bool = False

    def takes(self, need: Need) -> bool:
        """A need about no agent, or no repository, passes every filter by it."""
        return (
            (not self.kinds or need.kind in self.kinds)
            and (not self.agents or not need.agent or need.agent in self.agents)
            and (not self.repos or not need.repo or need.repo.casefold() in self.repos)
        )


@dataclass(frozen=True, slots=True)
class NoticePolicy:
    """The section ``notify`` of ``hive.yaml``.

    Attributes:
        delay: How long a need stands before anyone is told: what comes and goes is no news.
        remind: After which what still stands is told again; `None`: never.
        zone: Of the digests' times.
        limited_after: A usage limit that keeps an agent for so long is a need.
    """

    channels: tuple[Channel, ...] = ()
    delay: timedelta = timedelta(seconds=30)
    remind: timedelta | None = None
    quiet: QuietHours | None = None
    urgent: frozenset[NeedKind] = URGENT
    zone: str = "UTC"
    limited_after: timedelta = timedelta(hours=1)

    def is_quiet(self, now: datetime) -> bool:
        return self.quiet is not None and self.quiet.covers(now)

    def last_digest(self, channel: Channel, now: datetime) -> datetime | None:
        """The newest of the channel's moments up to `now`; `None` where it has no digest."""
        there = now.astimezone(ZoneInfo(self.zone))
        return max((one for one in self._moments(channel, there) if one <= now), default=None)

    def _moments(self, channel: Channel, there: datetime) -> Iterator[datetime]:
        for days in (0, 1):
            day = there.date() - timedelta(days=days)
            for clock in channel.digest:
                yield datetime.combine(day, clock, tzinfo=ZoneInfo(self.zone))
