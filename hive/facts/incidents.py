"""What hive's account did on the forge, what it had leave for, and what it did that hive knows nothing of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

UNHELD = "unheld"
"""The one kind of incident that is no act of the account: the forge did not let hive hold a pull request."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the forge shows hive's own account to have done.

    Attributes:
        key: The same at each look.
        kind: issue, pull, comment, review, or what the forge calls the event (``labeled``, ``merged``,
            ``push``, ``branch_deletion``, ``release``…).
        number: Of the issue or pull request; 0 where it is about none.
        ref: Full, where it is about one.
        head: The commit that a branch is at after it moved; empty for other acts.
        shown: The beginning of what it published, or what changed.
        agent: Whom the marker in it names; proves nothing.
    """

    key: str
    kind: str
    repo: str
    at: datetime
    number: int = 0
    ref: str = ""
    shown: str = ""
    agent: str = ""
    head: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """Something that hive let through, or did itself, on the forge.

    Attributes:
        at: By this machine's clock, before it was done.
        action: `facts.autonomy.Action`, or ``opened`` of a pull request that hive opened, or the tag of an
            intent of hive's own.
        agent: Whose request it was; empty for hive's own.
        request_id: Of the request; empty for hive's own.
        is_void: The forge refused it.
        made: What the forge said that it made (``o/r/issues/comments/5``); empty where it said nothing.
        ref: Full; the base of a merge.
        head: Of a push, the commit that it brought; empty where that is not known.
    """

    at: datetime
    action: str
    target: str
    agent: str = ""
    request_id: str = ""
    is_void: bool = False
    made: str = ""
    ref: str = ""
    head: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """An act of hive's account that hive did not do, or a pull request that hive could not hold (`UNHELD`).
    Open until a person closes it.

    Attributes:
        id: ``X1a2b3c4d``; the same for the same act.
        agent: Who may be behind it; empty where nothing tells.
        closed_by: Empty while it is open.
        is_note: A person shares the account, and nothing says that it was not that person: nobody is
            stopped by it, and it needs no closing.
    """

    id: str
    kind: str
    repo: str
    number: int
    ref: str
    evidence: str
    agent: str
    at: datetime
    closed_by: str = ""
    why: str = ""
    is_note: bool = False

    @property
    def is_open(self) -> bool:
        return not self.closed_by and not self.is_note

    @property
    def where(self) -> str:
        if self.number:
            return f"{self.repo}#{self.number}"
        return f"{self.repo}@{self.ref}" if self.ref else self.repo

    @property
    def what(self) -> str:
        """In words, without where and without evidence."""
        return said_of(self.kind)


def said_of(kind: str) -> str:
    """What an incident of `kind` is about, in words."""
    if kind == UNHELD:
        return "hive could not hold a pull request"
    return f"hive's account did what hive did not ({kind})"
