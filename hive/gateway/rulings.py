"""Every operation of a request is put to the authority and written down before anything is done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hive.decisions.requests import Operation
from hive.facts.autonomy import Action
from hive.facts.events import Event, RequestRuled
from hive.facts.verdicts import Ruling, Verdict
from hive.gateway import advice
from hive.ports.authority import Authority, Identity

HELD_IN_THE_SAME_STEP = frozenset({Action.OPEN_PR, Action.UPDATE_OWN_PR})
"""Actions for which HOLD means: do it, with hive's hold on the pull request. Others wait for a person."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A request's operations, each with its verdict."""

    agent: str
    operations: tuple[tuple[Operation, Verdict], ...]

    @property
    def refusal(self) -> str | None:
        """The line that tells the agent why nothing was done; `None` where it may be done."""
        for operation, verdict in sorted(
            self.operations, key=lambda pair: pair[1].ruling.strictness, reverse=True
        ):
            waits = verdict.ruling is Ruling.HOLD and operation.action not in HELD_IN_THE_SAME_STEP
            if verdict.ruling is Ruling.DENY or waits:
                return advice.refusal(operation.action, verdict, self.agent)
        return None

    def held(self, action: Action) -> bool:
        return any(o.action is action and v.ruling is Ruling.HOLD for o, v in self.operations)

    def only(self, action: Action) -> Operation | None:
        """The operation with `action`, if the request has one."""
        return next((operation for operation, _ in self.operations if operation.action is action), None)


def rule(
    authority: Authority,
    identity: Identity,
    operations: Sequence[Operation],
    *,
    request_id: str,
    route: str,
) -> Ruled:
    """Rule on each operation and record it. Raises `JournalError`: then nothing may be done.

    Allowed reads are not recorded; they would drown the record of everything else.
    """
    verdicts = tuple((operation, _verdict(authority, identity, operation)) for operation in operations)
    events: list[Event] = [
        RequestRuled(
            agent=identity.agent,
            request_id=request_id,
            action=operation.action.value,
            target=operation.target,
            ruling=verdict.ruling.value,
            rule=verdict.rule,
            because=verdict.because,
            route=route,
            task=identity.task.id if identity.task else "",
        )
        for operation, verdict in verdicts
        if not (operation.action is Action.READ and verdict.ruling is Ruling.ALLOW)
    ]
    if events:
        authority.record(events)
    return Ruled(identity.agent, verdicts)


def _verdict(authority: Authority, identity: Identity, operation: Operation) -> Verdict:
    if operation.refused_by:
        return Verdict(Ruling.DENY, operation.refused_by, operation.because)
    return authority.rule(
        identity,
        operation.action,
        repo=re.split("[#@:]", operation.target, maxsplit=1)[0],
        target=operation.target,
        paths=operation.paths,
        text=operation.text,
    )
