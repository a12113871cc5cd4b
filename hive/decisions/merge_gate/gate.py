"""One judgement out of all aspects."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import chain

from hive.decisions.merge_gate.bases import base_obstacles
from hive.decisions.merge_gate.checks import check_obstacles
from hive.decisions.merge_gate.judgement import Judgement, Obstacle, in_order, verdict_of
from hive.decisions.merge_gate.paths import path_obstacles
from hive.decisions.merge_gate.readiness import readiness_obstacles
from hive.decisions.merge_gate.reviews import review_obstacles, review_remarks
from hive.decisions.merge_policy import MergePolicy
from hive.facts.forge import PullRequest


def judge(
    pr: PullRequest, policy: MergePolicy, now: datetime, *, others: Iterable[Obstacle] = ()
) -> Judgement:
    """Judge `pr` at `now`; `others` are obstacles that were found elsewhere (quiet hours, guardrails)."""
    obstacles = in_order(
        chain(
            readiness_obstacles(pr, policy, now),
            check_obstacles(pr, policy, now),
            review_obstacles(pr, policy),
            base_obstacles(pr, policy),
            path_obstacles(pr, policy),
            others,
        )
    )
    return Judgement(verdict_of(obstacles), pr.head, obstacles, in_order(review_remarks(pr)))
