"""The operator's rules for taking issues."""

from __future__ import annotations

from dataclasses import dataclass

from hive.facts.actors import Association

HOLD = "hold"
"""The hold label that is always one; others are added to it."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A kind of work; an issue is in it when it has one of the labels or says one of the words.

    Attributes:
        labels: Whole names, in any case.
        words: Whole words of title or body, in any case.
    """

    name: str
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


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

    def holds(self, label: str) -> bool:
        return any(same_name(label, name) for name in (HOLD, *self.hold_labels))


def same_name(one: str, other: str) -> bool:
    """Whether two label names are one: GitHub compares them without regard to case."""
    return one.strip().casefold() == other.strip().casefold()
