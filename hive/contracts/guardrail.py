"""A guardrail: a pure function that may tighten a ruling, never loosen it.

A plug-in is a callable under the entry point ``hive.guardrails``. One that raises denies.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hive.facts.autonomy import Action
from hive.facts.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Proposal:
    """One action that somebody wants to do, in the words of the autonomy table.

    Attributes:
        agent: Who; empty for hive itself.
        target: ``o/r``, ``o/r#7``, ``o/r@refs/heads/x``, ``o/r:path``.
        paths: Files that it touches, where known.
        text: What would be published (bodies, diffs), where known.
    """

    agent: str
    role: str
    action: Action
    target: str
    at: datetime
    paths: tuple[str, ...] = ()
    text: str = ""


class Guardrail(Protocol):
    """Returns None where it has nothing to say."""

    @property
    def name(self) -> str: ...

    def __call__(self, proposal: Proposal) -> Verdict | None: ...
