"""The operator's rules for taking issues."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from hive.facts.actors import Association

HOLD = "hold"
"""The hold label that is always one; others are added to it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An issue falls under it when it has one of the labels, says one of the words or names one of the paths.

    Attributes:
        labels: Whole names, in any case.
        words: Whole words of title or body, in any case.
        paths: Patterns as in .gitignore, for files and folders that title or body name, in any case.
    """

    name: str
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lane(Rule):
    """Which agents take an issue, and when."""


@dataclass(frozen=True, slots=True)
class Kind(Rule):
    """What sort of work an issue is. `sla`: how old such an issue may become."""

    sla: timedelta | None = None


@dataclass(frozen=True, slots=True)
class TriagePolicy:
    trusted: frozenset[Association] = frozenset(
        {Association.OWNER, Association.MEMBER, Association.COLLABORATOR}
    )
    """Associations whose word counts."""
    allow: tuple[str, ...] = ()
    """Whole logins that are trusted besides; an app's has its ``[bot]``."""
    go_label: str | None = None
    """The label that releases an issue, whole name in any case. `None`: the author's standing does."""
    hold_labels: frozenset[str] = frozenset()
    """Labels that hold, besides `HOLD`: whole names, in any case."""
    lanes: tuple[Lane, ...] = ()
    """In the order in which they are tried and served."""
    kinds: tuple[Kind, ...] = ()
    """Within a lane, in the order in which they are tried and served."""
    sizes: tuple[Rule, ...] = ()
    """Within a kind, in the order in which they are tried and served."""
    dependencies: bool = True
    """Whether what the text of an issue says that it waits for blocks it."""
    stale_after: timedelta | None = None
    """After so long without a word or change by a person an issue is called stale. `None`: never."""

    def holds(self, label: str) -> bool:
        return any(same_name(label, name) for name in (HOLD, *self.hold_labels))


def same_name(one: str, other: str) -> bool:
    """Whether two label names are one: GitHub compares them without regard to case."""
    return one.strip().casefold() == other.strip().casefold()
