"""The operator's rules for merging."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from hive.facts.actors import ActorKind

HOLD = "hold"
"""The hold label that is always one; others are added to it."""


@dataclass(frozen=True, slots=True)
class RequiredCheck:
    """A check by its name, as GitHub spells it; if `app` (a slug) or `app_id` is given, only that app may
    report it."""

    name: str
    app: str | None = None
    app_id: int | None = None


@dataclass(frozen=True, slots=True)
class MergePolicy:
    required: tuple[RequiredCheck, ...] | None = None
    """Checks that must be green. `None`: every check of the head must be; empty: none has to be."""
    accept: frozenset[str] = frozenset({"success"})
    """Conclusions that count as green."""
    approvals: int = 0
    approvals_by: frozenset[ActorKind] = frozenset({ActorKind.PERSON})
    settle: timedelta = timedelta(minutes=5)
    """Quiet time after a push. GitHub can report a new head as "no checks yet" for a while; merging in that
    window would merge untested code."""
    missing_after: timedelta = timedelta(hours=1)
    """Time since the push after which a check that has not reported needs a person."""
    resolve_threads: bool = True
    """Whether unresolved review threads block."""
    allow_no_checks: bool = False
    """Whether a head without any check may merge: a repository without CI has to say so."""
    own_checks: frozenset[str] = frozenset()
    """Names of hive's own and other merge bots' checks, which would wait for themselves."""
    hold_labels: frozenset[str] = frozenset()
    """Labels that hold, besides `HOLD`: whole names, in any case."""
    protected_paths: tuple[str, ...] = ()
    """Patterns of .gitignore, after the defaults; ``!pattern`` takes one out."""
    up_to_date: bool = False
    """Whether the head has to contain the base's tip, so that it is checked with what was merged before."""
    base_green: bool = True
    """Whether nothing is merged onto a base whose own checks fail."""
    delete_branch: bool = True
    """Whether the branch of a merged pull request is deleted."""
    method: str = "squash"
    """How it is merged: merge, squash or rebase."""

    def counted_requirements(self) -> Iterator[RequiredCheck]:
        """Requirements but for the own checks, which are not looked at."""
        return (rule for rule in self.required or () if rule.name not in self.own_checks)

    def holds(self, label: str) -> bool:
        names = {HOLD, *(name.strip().casefold() for name in self.hold_labels)}
        return label.strip().casefold() in names
