"""The operator's rules for the tasks that pull requests lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive.facts.work import TaskKind

DEFAULT_ROUNDS: Mapping[TaskKind, int] = {
    TaskKind.FIX_CI: 3,
    TaskKind.ANSWER_REVIEW: 5,
    TaskKind.REBASE: 3,
    TaskKind.REVIEW: 3,
}
"""Chosen: what an agent has not mended in three tries it will not mend; people may say a thing more often."""


@dataclass(frozen=True, slots=True)
class RoundsPolicy:
    """Attributes:
    most: How many tasks of a kind one pull request gets before a person is asked; 0: none of that kind.
        reviewers: Roles whose agents look through what others opened; none: nobody does.
    """

    most: Mapping[TaskKind, int] = field(default_factory=lambda: dict(DEFAULT_ROUNDS))
    reviewers: tuple[str, ...] = ()

    @property
    def has_reviews(self) -> bool:
        """Whether pull requests of agents are to be looked through by others of them."""
        return bool(self.reviewers) and self.limit(TaskKind.REVIEW) > 0

    def limit(self, kind: TaskKind) -> int:
        return self.most.get(kind, 0)
