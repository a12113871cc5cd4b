"""The section `pull_requests`: what open pull requests of agents lead to."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hive.decisions.rounds_policy import DEFAULT_ROUNDS, RoundsPolicy
from hive.documents.values import Whole
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

    def policy(self) -> RoundsPolicy:
        return RoundsPolicy(
            most={
                TaskKind.FIX_CI: self.fix_ci,
                TaskKind.ANSWER_REVIEW: self.answer_review,
                TaskKind.REBASE: self.rebase,
            }
        )
