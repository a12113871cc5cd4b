"""How much waits, by repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from hive.decisions.governor_policy import GovernorPolicy
from hive.decisions.triage import Kind, TriageItem, overdue
from hive.facts.forge import Issue
from hive.facts.memory import PullMemory

_FOR_AGENTS = frozenset({"conflict", "changes-requested", "threads"})
_RED = "check-failed"


@dataclass(frozen=True, slots=True)
class Pressure:
    """What waits in one repository, counted; `total` weighs it."""

    issues: int = 0
    pulls: int = 0
    red: int = 0
    breaches: int = 0

    def total(self, policy: GovernorPolicy) -> float:
        weights = policy.weights
        return (
            self.issues * weights.issue
            + self.pulls * weights.pull
            + self.red * weights.red
            + self.breaches * weights.breach
        )

    def __add__(self, other: Pressure) -> Pressure:
        return Pressure(
            self.issues + other.issues,
            self.pulls + other.pulls,
            self.red + other.red,
            self.breaches + other.breaches,
        )

    @property
    def words(self) -> str:
        """``7 issues, 1 failing pull request``; what is zero is left out."""
        parts = (
            (self.issues, "issue"),
            (self.pulls, "pull request for agents"),
            (self.red, "failing pull request"),
            (self.breaches, "issue over its SLA"),
        )
        told = [f"{count} {_plural(word, count)}" for count, word in parts if count]
        return ", ".join(told) or "nothing waits"


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    head, space, tail = word.partition(" ")
    return f"{head}s{space}{tail}" if head == "issue" else word.replace("request", "requests")


def pressure(
    waiting: Iterable[TriageItem],
    issues: Mapping[int, Issue],
    pulls: Iterable[PullMemory],
    policy: GovernorPolicy,
    now: datetime,
    kinds: Sequence[Kind] = (),
) -> Pressure:
    """What waits in a repository: eligible issues that no agent has, and hive's open pull requests.

    `kinds` are triage's, whose SLAs count before those of the lanes.
    """
    items = tuple(waiting)
    codes = [{code for code, _, _ in known.judged} for known in pulls]
    red = sum(_RED in each for each in codes)
    return Pressure(
        issues=len(items),
        pulls=sum(bool(each & _FOR_AGENTS) and _RED not in each for each in codes),
        red=red,
        breaches=sum(bool(overdue(one, issues.get(one.number), kinds, policy.sla, now)) for one in items),
    )
