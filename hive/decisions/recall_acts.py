"""Leave, incidents and watched repositories, folded from the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

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
from hive.facts.intents import ON_FORGE
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling

_KEPT = 2000
"""Leaves (chosen: more than a fleet takes in the day that is compared)."""
_DONE_HELD = (Action.OPEN_PR, Action.UPDATE_OWN_PR)
Ends: TypeAlias = RequestDone | ApprovalCarriedOut | RepositoryWatched | IncidentRaised | IncidentClosed


class ActsFold:
    def __init__(self, memory: Memory) -> None:
        self._leaves = list(memory.leaves)
        self._incidents = dict(memory.incidents)
        self._watched = dict(memory.watched)

    @property
    def leaves(self) -> tuple[Leave, ...]:
        return tuple(self._leaves[-_KEPT:])

    @property
    def incidents(self) -> Mapping[str, Incident]:
        return dict(self._incidents)

    @property
    def watched(self) -> Mapping[str, datetime]:
        return dict(self._watched)

    def ruled(self, event: RequestRuled, at: datetime) -> None:
        is_done = event.ruling == Ruling.ALLOW or (event.ruling == Ruling.HOLD and event.action in _DONE_HELD)
        if is_done and event.action != Action.READ:
            self._add(Leave(at, event.action, event.target, event.agent, event.request_id))

    def started(self, event: IntentStarted, at: datetime) -> None:
        if isinstance(event.body, ON_FORGE):
            self._add(Leave(at, str(type(event.body).__struct_config__.tag), event.body.subject))

    def opened(self, event: PullRequestOpened, at: datetime) -> None:
        self._add(Leave(at, "opened", event.subject, event.agent))

    def ended(self, event: Ends, at: datetime) -> None:
        match event:
            case RequestDone():
                if event.outcome in ("refused", "repeated"):
                    self._void(event.request_id)
            case RepositoryWatched(repo=repo):
                self._watched.setdefault(repo, at)
            case IncidentRaised():
                self._incidents[event.incident_id] = Incident(
                    id=event.incident_id,
                    kind=event.what,
                    repo=event.repo,
                    number=event.number,
                    ref=event.ref,
                    evidence=event.evidence,
                    agent=event.agent,
                    at=at,
                )
            case IncidentClosed(incident_id=name, by=by, why=why):
                if name in self._incidents:
                    self._incidents[name] = replace(self._incidents[name], closed_by=by, why=why)
            case ApprovalCarriedOut():
                pass

    def _add(self, leave: Leave) -> None:
        self._leaves.append(leave)
        if len(self._leaves) > 2 * _KEPT:
            del self._leaves[:-_KEPT]

    def _void(self, request_id: str) -> None:
        for index in range(len(self._leaves) - 1, -1, -1):
            if self._leaves[index].request_id == request_id:
                self._leaves[index] = replace(self._leaves[index], is_void=True)
                return
