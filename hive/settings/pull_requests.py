"""The section `pull_requests`: what open pull requests of agents lead to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import Field

from hive.decisions.rounds_policy import DEFAULT_ROUNDS, RoundsPolicy
from hive.documents import Document
from hive.documents.models import nearest
from hive.documents.values import Text, Whole
from hive.facts.work import TaskKind
from hive.settings.policies import SettingsModel

_Rounds = Annotated[Whole, Field(ge=0, le=100)]


class PullRequestsModel(SettingsModel):
    """Tasks that an open pull request of an agent leads to, each kind so often at most; 0: never."""

    fix_ci: _Rounds = Field(
        default=DEFAULT_ROUNDS[TaskKind.FIX_CI], description="Its checks failed, and not its base's."
    )
    answer_review: _Rounds = Field(
        default=DEFAULT_ROUNDS[TaskKind.ANSWER_REVIEW],
        description="Trusted reviewers asked for changes, or opened threads.",
    )
    rebase: _Rounds = Field(
        default=DEFAULT_ROUNDS[TaskKind.REBASE], description="It conflicts with its base."
    )

    review: _Rounds = Field(
        default=DEFAULT_ROUNDS[TaskKind.REVIEW],
        description="Another agent looks through each head, where `reviewers` names roles.",
    )
    reviewers: tuple[Text, ...] = Field(
        default=(),
        description="Roles whose agents look through what other agents opened, before it may be merged.",
    )

    def policy(self, document: Document, *, roles: Collection[str]) -> RoundsPolicy:
        """Raises `ConfigError` for a reviewer's role that no agent has."""
        for place, role in enumerate(self.reviewers):
            if role not in roles:
                near = nearest(role, list(roles))
                hint = (
                    f"did you mean '{near}'?" if near else f"there are {', '.join(sorted(roles)) or 'none'}"
                )
                said = f"pull_requests.reviewers: no agent has the role '{role}'; {hint}"
                raise document.error(said, ("pull_requests", "reviewers", place))
        return RoundsPolicy(
            most={
                TaskKind.FIX_CI: self.fix_ci,
                TaskKind.ANSWER_REVIEW: self.answer_review,
                TaskKind.REBASE: self.rebase,
                TaskKind.REVIEW: self.review,
            },
            reviewers=self.reviewers,
        )
