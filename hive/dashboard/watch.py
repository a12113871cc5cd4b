"""What the dashboard sees: the supervisor's answer, or else what the journal holds, and what failed.

Every call runs on a lane with a deadline, and every failure becomes words: a supervisor that is dead,
slow or newer than this dashboard is something to show, never a reason to stop showing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from hive.dashboard import fleet
from hive.dashboard.ansi import last_lines
from hive.dashboard.fleet import Fleet
from hive.dashboard.lane import Lane
from hive.decisions.one_line import one_line
from hive.errors import Unreachable
from hive.facts.events import Record
from hive.facts.usage_events import BOOKKEEPING
from hive.ports.clock import Clock
from hive.ports.operator import Operator

LOOK_SECONDS = 3.0
"""Chosen: `hive status` answers in 0.3 s; ten times that is not a busy supervisor but a wedged one."""
ACT_SECONDS = 10.0
"""Chosen: an action waits for a tick at most."""
MOST_NEWS = 200
"""Records told at once, three screens of them; of more the newest are told and the rest are counted."""

T = TypeVar("T")


class JournalReader(Protocol):
    """What the dashboard may do with a journal: of `ports.journal.Journal` what only reads."""

    def records(self, *, after: int = 0, limit: int | None = None) -> Iterator[Record]: ...

    def newest(self, limit: int) -> tuple[Record, ...]: ...

    def about(
        self, subject: str, *, limit: int = 1000, without: Sequence[str] = ()
    ) -> tuple[Record, ...]: ...

    def published(self) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at the hive.

    Attributes:
        at: When it was looked at.
        trouble: Why `fleet` is not live but the last published; empty when it is live.
        stale: `fleet` is old (or empty, where nothing was ever published).
    """

    fleet: Fleet
    at: datetime
    trouble: str = ""

    @property
    def stale(self) -> bool:
        return bool(self.trouble)


@dataclass(frozen=True, slots=True)
class News:
    """Records since the last time, oldest first; `skipped` more came before them."""

    records: tuple[Record, ...] = ()
    skipped: int = 0
    trouble: str = ""


class Watch:
    """Looks, listens and acts; one lane for each kind of call, so that none waits behind another."""

    def __init__(self, operator: Operator, journal: JournalReader, clock: Clock) -> None:
        self._operator = operator
        self._journal = journal
        self._clock = clock
        self._status = Lane("dashboard-status")
        self._screens = Lane("dashboard-screen")
        self._actions = Lane("dashboard-action")
        self._records = Lane("dashboard-journal")
        self._seq: int | None = None
        self._fleet = Fleet()

    def now(self) -> datetime:
        return self._clock.now()

    async def look(self) -> Sight:
        """The supervisor's own words, or the last published ones with the reason. Never raises."""
        try:
            document = await self._status.call(self._operator.status, deadline=LOOK_SECONDS)
            self._fleet = fleet.read(document)
        except Exception as problem:
            return await self._last_seen(_trouble(problem))
        return Sight(self._fleet, self.now())

    async def _last_seen(self, trouble: str) -> Sight:
        try:
            published = await self._records.call(self._journal.published, deadline=LOOK_SECONDS)
            if published is not None:
                seen = fleet.read_json(published)
                if _is_newer(seen, self._fleet):
                    self._fleet = seen
        except Exception as problem:
            trouble = f"{trouble}; {in_one_line(problem)}"
        return Sight(self._fleet, self.now(), trouble)

    async def news(self) -> News:
        """Records since the last call; the first call gives the newest. Never raises."""
        try:
            news = await self._records.call(lambda: _newer(self._journal, self._seq), deadline=LOOK_SECONDS)
        except Exception as problem:
            return News(trouble=in_one_line(problem))
        if news.records:
            self._seq = news.records[-1].seq
        elif self._seq is None:
            self._seq = 0
        return news

    async def about(self, subject: str, limit: int) -> News:
        """The newest records about one subject, but for bookkeeping. Never raises."""
        try:
            records = await self._records.call(
                lambda: self._journal.about(subject, limit=limit, without=BOOKKEEPING),
                deadline=LOOK_SECONDS,
            )
        except Exception as problem:
            return News(trouble=in_one_line(problem))
        return News(records)

    async def screen(self, agent: str) -> list[str]:
        """The last lines of an agent's screen, with nothing in them but text and colours.

        Raises what the operator port raises, and `TimeoutError`.
        """
        return await self._screens.call(
            lambda: last_lines(self._operator.screen(agent)), deadline=LOOK_SECONDS
        )

    async def act(self, action: Callable[[Operator], object]) -> str:
        """Do `action`; return why it failed, in one line, or nothing. Never raises."""
        try:
            await self._actions.call(lambda: action(self._operator), deadline=ACT_SECONDS)
        except TimeoutError:
            return f"no answer within {ACT_SECONDS:.0f} s; it may have happened: look before asking again"
        except Exception as problem:
            return in_one_line(problem)
        return ""

    def close(self) -> None:
        for lane in (self._status, self._screens, self._actions, self._records):
            lane.close()


def _newer(journal: JournalReader, seq: int | None) -> News:
    if seq is None:
        return News(journal.newest(MOST_NEWS))
    records = tuple(journal.records(after=seq, limit=MOST_NEWS))
    if len(records) < MOST_NEWS:
        return News(records)
    newest = journal.newest(MOST_NEWS)
    return News(newest, skipped=max(0, newest[0].seq - seq - 1))


def _is_newer(one: Fleet, other: Fleet) -> bool:
    return other.at is None or (one.at is not None and one.at > other.at)


def _trouble(problem: Exception) -> str:
    if isinstance(problem, Unreachable):
        return "the daemon is not running"
    if isinstance(problem, TimeoutError):
        return f"the daemon did not answer within {LOOK_SECONDS:.0f} s"
    return f"the daemon's status cannot be read: {in_one_line(problem)}"


def in_one_line(problem: BaseException) -> str:
    """A failure in words for a person, with its kind where it has no words of its own."""
    if isinstance(problem, TimeoutError):
        return str(problem) or f"no answer within {LOOK_SECONDS:.0f} s"
    return one_line(str(problem), 300) or type(problem).__name__
