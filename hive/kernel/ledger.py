"""The journal and the memory that is folded from it, always in step.

Everything that is recorded goes through here, from the tick and from the gateway's threads alike, so
that what is ruled on is what the journal says.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hive.decisions.instants import iso
from hive.decisions.recall import recall
from hive.decisions.telling import tell
from hive.facts.events import (
    Event,
    IntentRuled,
    IntentStarted,
    IssueTriaged,
    PullRequestJudged,
    Record,
    RequestRuled,
    TokenIssued,
)
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling
from hive.ports.clock import Clock
from hive.ports.journal import Journal

_SNAPSHOT_EVERY = 2000
"""Records between two stored memories: a start replays at most so many (measured: a few ms)."""

_KEPT_REFUSALS = 50
_QUIET = (IntentRuled, IntentStarted, IssueTriaged, PullRequestJudged, TokenIssued)
"""Events that the log need not tell: others tell what comes of them."""
_LOG = logging.getLogger(__name__)


class Ledger:
    """One writer for many threads."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._lock = threading.Lock()
        self._memory = journal.snapshot() or Memory()
        self._memory = recall(self._memory, journal.records(after=self._memory.seq))
        self._stored = self._memory.seq
        self._refusals: deque[Mapping[str, Any]] = deque(maxlen=_KEPT_REFUSALS)
        self._remember_refusals(journal.newest(_KEPT_REFUSALS * 20))

    @property
    def memory(self) -> Memory:
        """The memory as of the newest record; a value, safe to keep."""
        return self._memory

    def record(self, events: Sequence[Event], *, tick: int = 0) -> tuple[Record, ...]:
        """Write `events` durably, all or none, and fold them. Raises `JournalError`."""
        if not events:
            return ()
        with self._lock:
            records = self._journal.append(events, at=self._clock.now(), tick=tick)
            self._memory = recall(self._memory, records)
            self._remember_refusals(records)
        for record in records:
            _LOG.log(logging.DEBUG if isinstance(record.event, _QUIET) else logging.INFO, tell(record))
        return records

    def refusals(self) -> tuple[Mapping[str, Any], ...]:
        """The newest things that the gateway refused to agents, oldest first."""
        return tuple(self._refusals)

    def _remember_refusals(self, records: Iterable[Record]) -> None:
        for record in records:
            event = record.event
            if isinstance(event, RequestRuled) and event.ruling == Ruling.DENY:
                self._refusals.append(
                    {
                        "agent": event.agent,
                        "action": event.action,
                        "target": event.target,
                        "rule": event.rule,
                        "at": iso(record.at),
                    }
                )

    def store_snapshot(self, *, force: bool = False) -> None:
        """Keep the memory for the next start, now and then. Raises `JournalError`."""
        memory = self._memory
        if memory.seq - self._stored >= _SNAPSHOT_EVERY or (force and memory.seq > self._stored):
            self._journal.store_snapshot(memory)
            self._stored = memory.seq
