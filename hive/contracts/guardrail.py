"""A guardrail: a pure function that may tighten a ruling, never loosen it.

A plug-in is an object under the entry point ``hive.guardrails``. One that raises denies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from hive.facts.autonomy import Action
from hive.facts.deeds import Deeds, OpenPull
from hive.facts.verdicts import Verdict

if TYPE_CHECKING:
    from pydantic import BaseModel

CUT_OFF = "\n\\ hive looks no further\n"
"""How a text ends that was longer than hive looks at: what cannot be checked is for a person."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One action that somebody wants to do, in the words of the autonomy table, and what hive remembers.

    Attributes:
        agent: Who; empty for hive itself.
        target: ``o/r``, ``o/r#7``, ``o/r@refs/heads/x``, ``o/r:path``.
        paths: Files that it touches, where known.
        text: What would be published, where known. Of a git push (it has `paths`, and this begins
            with ``commit ``): its commits as ``git log --patch --cc --pretty=fuller`` shows them. Ends in
            `CUT_OFF` where it is not all.
        issue: Of the task that the agent is at, in this repository.
        past: What the agent did so far.
        pulls: Open pull requests of all agents in this repository.
    """

    agent: str
    role: str
    action: Action
    target: str
    at: datetime
    paths: tuple[str, ...] = ()
    text: str = ""
    issue: int | None = None
    past: Deeds = field(default_factory=Deeds)
    pulls: tuple[OpenPull, ...] = ()


class Guardrail(Protocol):
    """Returns None where it has nothing to say. It is in force where it is installed."""

    @property
    def name(self) -> str: ...

    def __call__(self, proposal: Proposal) -> Verdict | None: ...


@runtime_checkable
class Configurable(Protocol):
    """A guardrail with settings, under its name below ``guardrails:`` in ``hive.yaml``."""

    @property
    def name(self) -> str: ...

    def __call__(self, proposal: Proposal) -> Verdict | None: ...

    @property
    def settings(self) -> type[BaseModel]:
        """The model of its settings; a strict one, so that a misspelt key is an error."""
        ...

    @property
    def is_on(self) -> bool:
        """Whether it is in force where ``hive.yaml`` does not speak of it."""
        ...

    def configured(self, settings: Any) -> Guardrail:
        """The guardrail with these settings, an instance of its model."""
        ...
