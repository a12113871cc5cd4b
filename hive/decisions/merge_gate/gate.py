"""One judgement out of all aspects."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import chain
from weakref import ref

from hive.decisions.merge_gate.bases import base_obstacles
from hive.decisions.merge_gate.checks import check_obstacles, is_awaited
from hive.decisions.merge_gate.judgement import Judgement, Obstacle, in_order, verdict_of
from hive.decisions.merge_gate.paths import path_obstacles
from hive.decisions.merge_gate.readiness import push_times, readiness_obstacles
from hive.decisions.merge_gate.reviews import review_obstacles, review_remarks
from hive.decisions.merge_policy import MergePolicy
from hive.facts.forge import PullRequest


def judge(
    pr: PullRequest, policy: MergePolicy, now: datetime, *, others: Iterable[Obstacle] = ()
) -> Judgement:
    """Judge `pr` at `now`; `others` are obstacles that were found elsewhere (quiet hours, guardrails)."""
    alone, besides = _judged_alone(pr, policy, now), tuple(others)
    if not besides:
        return alone
    obstacles = in_order(chain(alone.obstacles, besides))
    return Judgement(verdict_of(obstacles), pr.head, obstacles, alone.remarks)


_Times = tuple[bool, bool, bool]
_judged: dict[int, tuple[ref[PullRequest], MergePolicy, _Times, Judgement]] = {}
"""The last judgement of each pull request that is still held by somebody, by its identity."""


def _judged_alone(pr: PullRequest, policy: MergePolicy, now: datetime) -> Judgement:
    """Without others' obstacles. Neither argument ever changes: the same is answered to the same while all
    that time decides is as it was, which is most of the time for most of what is open."""
    times = (*push_times(pr, policy, now), is_awaited(pr, policy, now))
    known = _judged.get(id(pr))
    if known is not None and known[0]() is pr and known[2] == times and known[1] == policy:
        return known[3]
    obstacles = in_order(
        chain(
            readiness_obstacles(pr, policy, now),
            check_obstacles(pr, policy, now),
            review_obstacles(pr, policy),
            base_obstacles(pr, policy),
            path_obstacles(pr, policy),
        )
    )
    judgement = Judgement(verdict_of(obstacles), pr.head, obstacles, in_order(review_remarks(pr)))
    key = id(pr)
    _judged[key] = (ref(pr, lambda _: _judged.pop(key, None)), policy, times, judgement)
    return judgement
