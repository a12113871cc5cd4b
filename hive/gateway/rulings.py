"""Every operation of a request is put to the authority and written down before anything is done."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from hive.decisions.redaction import redact
from hive.decisions.requests import Operation
from hive.facts.autonomy import Action
from hive.facts.events import Event, RequestRuled
from hive.facts.holds import Hold
from hive.facts.verdicts import Ruling, Verdict
from hive.gateway import advice
from hive.ports.authority import Authority, Identity

HELD_IN_THE_SAME_STEP = frozenset({Action.OPEN_PR, Action.UPDATE_OWN_PR})
"""Actions for which HOLD means: do it, with hive's hold on the pull request. Others wait for a person."""


_READ, _RECORDED = 4000, 300
"""Characters of what would be published: so many are looked at, so many go on record."""
_NEVER = datetime.min.replace(tzinfo=UTC)
"""Of a hold that is yet to be recorded, which gives it its time."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A request's operations, each with its verdict."""

    agent: str
    operations: tuple[tuple[Operation, Verdict], ...]
    waiting: tuple[str, ...] = ()
    """Contents (`Hold.content`) that a person is to decide on; empty where something is denied."""

    @property
    def refusal(self) -> str | None:
        """The line that tells the agent why nothing was done; `None` where it may be done."""
        for operation, verdict in sorted(
            self.operations, key=lambda pair: pair[1].ruling.strictness, reverse=True
        ):
            if _waits(operation, verdict):
                return f"hive: {verdict.because} (rule {verdict.rule})"
            if verdict.ruling is Ruling.DENY:
                return advice.refusal(operation.action, verdict, self.agent)
        return None

    @property
    def asked(self) -> tuple[Operation, ...]:
        return tuple(operation for operation, _ in self.operations)

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
    content: bytes = b"",
    is_approved: bool = False,
) -> Ruled:
    """Rule on each operation and record it. Raises `JournalError`: then nothing may be done.

    `content` is the whole request, for what is put to a person: its word is about exactly that.
    `is_approved` says that this very content was approved and that the word was used for it.
    Allowed reads are not recorded; they would drown the record of everything else.
    """
    verdicts = tuple((operation, _verdict(authority, identity, operation)) for operation in operations)
    if is_approved:
        verdicts = tuple((one, _let_through(one, verdict)) for one, verdict in verdicts)
    else:
        verdicts = _put_to_people(authority, identity, verdicts, request_id, content)
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
            head=operation.head,
            shown=_shown(operation.text),
        )
        for operation, verdict in verdicts
        if not (operation.action is Action.READ and verdict.ruling is Ruling.ALLOW)
    ]
    if events:
        authority.record(events)
    waiting: tuple[str, ...] = ()
    if not any(verdict.ruling is Ruling.DENY for _, verdict in verdicts):
        waiting = tuple(_hold(identity, o, v, content).content for o, v in verdicts if _waits(o, v))
    return Ruled(identity.agent, verdicts, waiting)


def _waits(operation: Operation, verdict: Verdict) -> bool:
    return verdict.ruling is Ruling.HOLD and operation.action not in HELD_IN_THE_SAME_STEP


def _let_through(operation: Operation, verdict: Verdict) -> Verdict:
    if not _waits(operation, verdict):
        return verdict
    return Verdict(Ruling.ALLOW, "hold.approved", "a person approved it; hive goes on with it")


def _put_to_people(
    authority: Authority,
    identity: Identity,
    verdicts: tuple[tuple[Operation, Verdict], ...],
    request_id: str,
    content: bytes,
) -> tuple[tuple[Operation, Verdict], ...]:
    """The verdicts with what a person said of those that are held; nobody is asked about a request of which
    something is denied anyway, and one is let through only with all that it would do."""
    asked = {
        operation: _hold(identity, operation, verdict, content)
        for operation, verdict in verdicts
        if _waits(operation, verdict)
    }
    if not asked or any(verdict.ruling is Ruling.DENY for _, verdict in verdicts):
        return verdicts
    said = {operation: authority.held(identity, hold) for operation, hold in asked.items()}
    is_approved = all(verdict.ruling is Ruling.ALLOW for verdict in said.values())
    if is_approved and not authority.use(identity, list(asked.values()), request_id):
        # Another request with the same content was faster: a word is good once.
        said = {operation: authority.held(identity, hold) for operation, hold in asked.items()}
    return tuple((operation, said.get(operation, verdict)) for operation, verdict in verdicts)


def _hold(identity: Identity, operation: Operation, verdict: Verdict, content: bytes) -> Hold:
    # A word on a review is about the commit that it was written for: a new head voids it.
    about = (operation.paths, operation.text, *([operation.head] if operation.head else []))
    whole = repr(about).encode("utf-8", "surrogatepass") + content
    return Hold(
        id="",
        agent=identity.agent,
        action=operation.action.value,
        target=operation.target,
        content=hashlib.sha256(whole).hexdigest(),
        shown=operation.text or " ".join(operation.paths) or operation.head,
        rule=verdict.rule,
        because=verdict.because,
        at=_NEVER,
    )


def _shown(text: str) -> str:
    """The beginning of what it would publish, for the record, without secrets."""
    # Redacted before it is cut: half a secret is not known as one.
    return redact(text[:_READ])[:_RECORDED]


def _verdict(authority: Authority, identity: Identity, operation: Operation) -> Verdict:
    if operation.refused_by:
        return Verdict(Ruling.DENY, operation.refused_by, operation.because)
    return authority.rule(
        identity,
        operation.action,
        repo=repository_of(operation.target),
        target=operation.target,
        paths=operation.paths,
        text=operation.text,
    )


def repository_of(target: str) -> str:
    """``o/r`` of ``o/r``, ``o/r#7``, ``o/r@refs/heads/x`` or ``o/r:path``."""
    return re.split("[#@:]", target, maxsplit=1)[0]
