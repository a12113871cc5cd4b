"""Leave, incidents and watched repositories, folded from the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from hive.decisions.copy_on_write import CopyOnWrite
from hive.facts.autonomy import Action
from hive.facts.events import (
    ApprovalCarriedOut,
    IncidentClosed,
    IncidentRaised,
    IntentStarted,
    PullRequestOpened,
    RepositoryWatched,
    RequestDone,
    RequestRuled,
)
from hive.facts.incidents import Incident, Leave
from hive.facts.intents import (
    FILING,
    LEASING,
    ON_FORGE,
    EnqueuePullRequest,
    FileFinding,
    MergePullRequest,
    UpdateTracking,
)
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling

KEPT = 2000
"""Leaves (chosen: more than most fleets take in the day that is compared; where it is fewer, less is)."""
_REMEMBERED = timedelta(days=30)
"""For how long an incident that is over is remembered."""
_LONGEST_REQUEST = timedelta(minutes=30)
_FIRST = datetime.min.replace(tzinfo=UTC)
_MERGES = (MergePullRequest, EnqueuePullRequest)
_DONE_HELD = (Action.OPEN_PR, Action.UPDATE_OWN_PR)
Ends: TypeAlias = RequestDone | ApprovalCarriedOut | RepositoryWatched | IncidentRaised | IncidentClosed


class ActsFold:
    def __init__(self, memory: Memory) -> None:
        self._leaves = list(memory.leaves)
        self._incidents = CopyOnWrite(memory.incidents)
        self._watched = CopyOnWrite(memory.watched)

    @property
    def leaves(self) -> tuple[Leave, ...]:
        return tuple(self._leaves[-KEPT:])

    @property
    def incidents(self) -> Mapping[str, Incident]:
        return self._incidents.now

    @property
    def watched(self) -> Mapping[str, datetime]:
        return self._watched.now

    def ruled(self, event: RequestRuled, at: datetime) -> None:
        is_done = event.ruling == Ruling.ALLOW or (event.ruling == Ruling.HOLD and event.action in _DONE_HELD)
        if is_done and event.action != Action.READ:
            head = event.head if "@" in event.target else ""
            self._add(Leave(at, event.action, event.target, event.agent, event.request_id, head=head))

    def started(self, event: IntentStarted, at: datetime) -> None:
        if isinstance(event.body, FILING):
            author = event.body.agent if isinstance(event.body, FileFinding) else ""
            self._add(Leave(at, Action.FILE_ISSUE, event.body.repo, author, event.intent_id))
            if isinstance(event.body, UpdateTracking) and event.body.number:
                self._add(Leave(at, Action.FILE_ISSUE, f"{event.body.repo}#{event.body.number}"))
        elif isinstance(event.body, LEASING):
            self._add(Leave(at, Action.LABEL_OWN, event.body.subject))
        elif isinstance(event.body, ON_FORGE):
            intent = event.body
            ref = f"refs/heads/{intent.base}" if isinstance(intent, _MERGES) else ""
            self._add(Leave(at, str(type(intent).__struct_config__.tag), intent.subject, ref=ref))

    def filed(self, intent_id: str, repo: str, number: int) -> None:
        """The issue that an intent of hive's own made, or found."""
        for index in range(len(self._leaves) - 1, -1, -1):
            if self._leaves[index].request_id == intent_id:
                made = f"{repo}/issues/{number}"
                self._leaves[index] = replace(self._leaves[index], made=made)
                return

    def opened(self, event: PullRequestOpened, at: datetime) -> None:
        self._add(Leave(at, "opened", event.subject, event.agent))

    def ended(self, event: Ends, at: datetime) -> None:
        match event:
            case RequestDone():
                self._done(event)
            case RepositoryWatched(repo=repo, until=until):
                self._watched.setdefault(repo, until or _FIRST)
            case IncidentRaised():
                self._forget(at)
                self._incidents[event.incident_id] = Incident(
                    id=event.incident_id,
                    kind=event.what,
                    repo=event.repo,
                    number=event.number,
                    ref=event.ref,
                    evidence=event.evidence,
                    agent=event.agent,
                    at=at,
                    is_note=event.is_note,
                )
            case IncidentClosed(incident_id=name, by=by, why=why):
                if name in self._incidents:
                    self._incidents[name] = replace(self._incidents[name], closed_by=by, why=why)
            case ApprovalCarriedOut():
                pass

    def _add(self, leave: Leave) -> None:
        self._leaves.append(leave)
        if len(self._leaves) > 2 * KEPT:
            del self._leaves[:-KEPT]

    def _done(self, event: RequestDone) -> None:
        """What the forge made, or that it made nothing, on every leave of the request."""
        void = event.outcome in ("refused", "repeated")
        if not self._leaves:
            return
        earliest = self._leaves[-1].at - _LONGEST_REQUEST
        # Where many act at once thousands are looked through for each answer.
        for index, leave in zip(range(len(self._leaves) - 1, -1, -1), reversed(self._leaves), strict=True):
            if leave.request_id == event.request_id:
                self._leaves[index] = replace(leave, is_void=void, made=event.made)
            elif leave.at < earliest:
                return

    def _forget(self, at: datetime) -> None:
        for name, one in [*self._incidents.items()]:
            if not one.is_open and at - one.at > _REMEMBERED:
                del self._incidents[name]
