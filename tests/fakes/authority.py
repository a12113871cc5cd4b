"""An authority with the shipped autonomy table, a journal in memory, and levels that a test sets."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from msgspec import structs

from hive.decisions import autonomy, holds
from hive.decisions.findings import known_as, next_id, repeated, with_fingerprint
from hive.decisions.recall import recall
from hive.errors import JournalError
from hive.facts.autonomy import AcmmLevel, Action
from hive.facts.events import (
    Event,
    FindingRecorded,
    HoldUsed,
    PullRequestOpened,
    Record,
    RequestRuled,
)
from hive.facts.findings import Finding
from hive.facts.holds import Hold
from hive.facts.memory import Memory
from hive.facts.verdicts import Verdict, strictest
from hive.ports.authority import Identity, Opened
from hive.settings.acmm import load_table

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
E = TypeVar("E", bound=Event)
Guard = Callable[[Identity, Action, str, tuple[str, ...], str], Verdict | None]


@dataclass
class FakeAuthority:
    """Thread-safe, as the real one.

    Attributes:
        identities: By token.
        full_disk: While true, nothing can be recorded.
        guard: May tighten a ruling, as guardrails do.
    """

    identities: dict[str, Identity] = field(default_factory=dict)
    level: AcmmLevel = AcmmLevel.L4
    label: str = "hold"
    drafts: bool = False
    full_disk: bool = False
    guard: Guard | None = None
    events: list[Event] = field(default_factory=list)
    woken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._table = load_table()
        self._lock = threading.Lock()

    def identify(self, token: str) -> Identity | None:
        found = None
        for known, identity in self.identities.items():
            if hmac.compare_digest(known.encode(), token.encode()):
                found = identity
        return found

    def identity_of(self, agent: str) -> Identity | None:
        return next((one for one in self.identities.values() if one.agent == agent), None)

    def rule(
        self,
        identity: Identity,
        action: Action,
        *,
        repo: str,
        target: str,
        paths: Sequence[str] = (),
        text: str = "",
    ) -> Verdict:
        verdicts = [autonomy.rule(self._table, self.level, identity.role, action).verdict]
        if self.guard is not None:
            verdicts += filter(None, [self.guard(identity, action, target, tuple(paths), text)])
        return strictest(verdicts)

    def held(self, identity: Identity, wanted: Hold) -> Verdict:
        known = self.holds()
        found = holds.standing(known, wanted, NOW)
        if found is None:
            name = holds.next_id(known)
            self.record([holds.put(wanted, name)])
            found = self.holds()[name]
        return holds.verdict(found, NOW)

    def use(self, identity: Identity, wanted: Sequence[Hold], request_id: str) -> bool:
        found = [holds.standing(self.holds(), one, NOW) for one in wanted]
        used = [one for one in found if one is not None and holds.is_approved(one, NOW)]
        if len(used) < len(wanted):
            return False
        self.record([HoldUsed(agent=identity.agent, hold_id=one.id, request_id=request_id) for one in used])
        return True

    def holds(self) -> Mapping[str, Hold]:
        return self._folded().holds

    def _folded(self) -> Memory:
        """From what was recorded, all of it just now."""
        with self._lock:
            records = [Record(seq, NOW, 0, event) for seq, event in enumerate(self.events, 1)]
        return recall(Memory(), records)

    def opened(self, repo: str, number: int) -> Opened | None:
        for event in self.events_of(PullRequestOpened):
            if (event.repo, event.number) == (repo, number):
                return Opened(repo, number, event.agent, event.head_ref)
        return None

    def hold_label(self) -> str:
        return self.label

    def keeps_draft(self) -> bool:
        return self.drafts

    def record(self, events: Sequence[Event]) -> None:
        if self.full_disk:
            raise JournalError("the disk is full")
        with self._lock:
            self.events.extend(events)

    def wake(self, identity: Identity) -> None:
        self.woken.append(identity.agent)

    def report(self, found: FindingRecorded) -> Finding:
        wanted, known = with_fingerprint(found), self._folded().findings
        same = known_as(wanted, known)
        event: Event | None
        if same is not None:
            name, event = same.id, repeated(wanted, same)
        else:
            name = next_id(known)
            event = structs.replace(wanted, finding_id=name)
        if event is not None:
            self.record([event])
        return next(one for one in self._folded().findings if one.id == name)

    def events_of(self, kind: type[E]) -> list[E]:
        """Recorded events of one kind, oldest first."""
        with self._lock:
            return [event for event in self.events if isinstance(event, kind)]

    def ruled(self) -> list[tuple[str, str, str]]:
        """Action, target and ruling of every recorded request."""
        return [(e.action, e.target, e.ruling) for e in self.events_of(RequestRuled)]
