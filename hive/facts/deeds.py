"""What an agent was let do, as far as rulings ask for it: how much lately, and what kinds at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

KEPT = 200
"""Of one agent. Chosen: more than any sane limit lets it do within the span that the limit is about."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that an agent asked for and was not denied.

    Attributes:
        action: `facts.autonomy.Action`.
        target: ``o/r``, ``o/r#7``, ``o/r@refs/heads/x``, ``o/r:path``.
    """

    at: datetime
    action: str
    target: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Operations of one agent that were denied, and nothing but reads let through since the first of them.

    Attributes:
        rule, because: Of the newest.
        at: When the newest was denied.
    """

    count: int
    rule: str
    because: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Deeds:
    """Of one agent.

    Attributes:
        recent: The newest, oldest first; at most `KEPT`.
        kinds: Every action that was ever done, in the order of their first times.
        refused: What it was denied in a row until now; `None` where its last write went through.
    """

    recent: tuple[Deed, ...] = ()
    kinds: tuple[str, ...] = ()
    refused: Refused | None = None


@dataclass(frozen=True, slots=True)
class OpenPull:
    """A pull request of an agent of this hive that is open, as far as is known.

    Attributes:
        issue: The one that it is for, if any.
    """

    repo: str
    number: int
    agent: str
    head_ref: str
    issue: int | None
