"""What the gateway asks the supervisor: who is this, may it, and write that down.

Called from the gateway's own threads; implementations are thread-safe and never wait for a tick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hive.facts.autonomy import Action
from hive.facts.events import Event, FindingRecorded
from hive.facts.findings import Finding
from hive.facts.holds import Hold
from hive.facts.verdicts import Verdict
from hive.facts.work import Task


@dataclass(frozen=True, slots=True)
class Identity:
    """An agent that proved itself by its token.

    Attributes:
        repos: ``OWNER/NAME`` that it may see at all.
        task: Its open task, if any; a pull request that it opens belongs to it.
        cluster: Where the sandbox is whose token it showed; empty for an agent on this machine.
    """

    agent: str
    role: str
    repos: tuple[str, ...]
    task: Task | None
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A pull request that hive knows an agent to have opened or pushed to."""

    repo: str
    number: int
    agent: str
    head_ref: str


class Authority(Protocol):
    def identify(self, token: str) -> Identity | None:
        """Whose token this is, compared in constant time; None for nobody's (revoked ones too)."""
        ...

    def identity_of(self, agent: str) -> Identity | None:
        """An agent as it is now, for what hive does in its name; None for one that is not configured."""
        ...

    def holds(self) -> Mapping[str, Hold]:
        """What was put to people, by id, oldest first."""
        ...

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
        """The one ruling: autonomy table, then guardrails, for this agent in this repository, now."""
        ...

    def held(self, identity: Identity, wanted: Hold) -> Verdict:
        """What a person says to exactly what `wanted` is about (its id is not looked at), which a rule holds:
        allowed, denied, or held still. It is put to a person where it was not. Raises `JournalError`."""
        ...

    def use(self, identity: Identity, wanted: Sequence[Hold], request_id: str) -> bool:
        """Let through, this once, what was approved; False where that is so no longer for one of them, and
        then none is. Raises `JournalError`."""
        ...

    def opened(self, repo: str, number: int) -> Opened | None:
        """Who opened a pull request, as the journal has it."""
        ...

    def hold_label(self) -> str: ...

    def keeps_draft(self) -> bool:
        """Whether held pull requests stay drafts as well."""
        ...

    def record(self, events: Sequence[Event]) -> None:
        """Write to the journal, durably. Raises `JournalError`; then nothing may be done."""
        ...

    def wake(self, identity: Identity) -> None:
        """Something happened to the agent: have it looked at now."""
        ...

    def report(self, found: FindingRecorded) -> Finding:
        """Put a finding on record (its id is not looked at), or find the one that is about the same. Raises
        `Refused` where its task has given too many, and `JournalError`."""
        ...
