"""Obstacles in the check runs and commit statuses of the judged head.

Runs of another head count for nothing. A status and a check run of one name are two things, and so are
those of two apps: a stranger's green status cannot stand in for a failing check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import assert_never

from hive.decisions.merge_gate.conclusions import Meaning, meaning
from hive.decisions.merge_gate.judgement import Obstacle, ObstacleCode, after
from hive.decisions.merge_policy import MergePolicy, RequiredCheck
from hive.facts.forge import Check, PullRequest


def check_obstacles(pr: PullRequest, policy: MergePolicy, now: datetime) -> Iterator[Obstacle]:
    """What is in the way among the checks; nothing where head or checks are not known (which blocks)."""
    if pr.checks is None or pr.head is None:
        return
    looked_at = [check for check in pr.checks if check.name not in policy.own_checks]
    here = newest(check for check in looked_at if check.head == pr.head)
    elsewhere = [check for check in looked_at if check.head != pr.head]
    deadline = _deadline(pr, policy, now)
    rules = [*policy.counted_requirements(), *_of_base(pr, policy)]
    if policy.required is None:
        yield from _all_green(here, elsewhere, policy, deadline)
    elif not rules and not policy.allow_no_checks:
        because = "no check is required, and the policy does not say that none is needed (allow_no_checks)"
        yield Obstacle(ObstacleCode.NO_CHECKS, "checks", because)
    yield from _required_green(here, elsewhere, rules, policy, deadline)


def newest(checks: Iterable[Check]) -> list[Check]:
    """Per source, app, workflow and name the run of the highest id (several if they share it)."""
    latest: dict[tuple[str, str | None, str | None, str], list[Check]] = {}
    for check in checks:
        runs = latest.setdefault((check.source, check.app, check.workflow, check.name), [])
        if runs and check.id > runs[0].id:
            runs.clear()
        if not runs or check.id == runs[0].id:
            runs.append(check)
    return [run for runs in latest.values() for run in runs]


def _deadline(pr: PullRequest, policy: MergePolicy, now: datetime) -> datetime | None:
    """When a check that has not reported starts to need a person; `None` when it does already."""
    if pr.pushed_at is None or not is_awaited(pr, policy, now):
        return None
    return after(pr.pushed_at, policy.missing_after)


def is_awaited(pr: PullRequest, policy: MergePolicy, now: datetime) -> bool:
    """Whether a check may still report in time: all that time decides in this file."""
    return pr.pushed_at is not None and now < after(pr.pushed_at, policy.missing_after)


def _of_base(pr: PullRequest, policy: MergePolicy) -> Iterator[RequiredCheck]:
    """What branch protection and rulesets require besides."""
    for context in pr.rules.contexts if pr.rules else ():
        if context.name not in policy.own_checks:
            yield RequiredCheck(context.name, app_id=context.app_id)


def _required_green(
    here: list[Check],
    elsewhere: list[Check],
    rules: list[RequiredCheck],
    policy: MergePolicy,
    deadline: datetime | None,
) -> Iterator[Obstacle]:
    for rule in rules:
        runs = [check for check in here if _answers(check, rule)]
        for run in runs:
            yield from _not_green(run, policy)
        if not runs:
            yield _unreported(rule, any(_answers(check, rule) for check in elsewhere), deadline)


def _all_green(
    here: list[Check], elsewhere: list[Check], policy: MergePolicy, deadline: datetime | None
) -> Iterator[Obstacle]:
    undecided = False
    for run in here:
        if meaning(run, policy.accept) is Meaning.SKIPPED:
            continue
        for obstacle in _not_green(run, policy):
            undecided = True
            yield obstacle
    reported = {check.name for check in here}
    for name in {check.name for check in elsewhere} - reported:
        yield _unreported(RequiredCheck(name), True, deadline)
    passed = any(_is_green(run, policy) for run in here)
    if not passed and not undecided and (here or not policy.allow_no_checks):
        seen = "no check of this head has passed" if here else "no check has reported on this head"
        yield Obstacle(ObstacleCode.NO_CHECKS, "checks", seen, deadline)


def _answers(check: Check, rule: RequiredCheck) -> bool:
    return (
        check.name == rule.name
        and (rule.app is None or check.app == rule.app)
        and (rule.app_id is None or check.app_id == rule.app_id)
    )


def _is_green(run: Check, policy: MergePolicy) -> bool:
    return meaning(run, policy.accept) is Meaning.GREEN


def _not_green(run: Check, policy: MergePolicy) -> Iterator[Obstacle]:
    told = _told(run)
    match meaning(run, policy.accept):
        case Meaning.GREEN:
            return
        case Meaning.PENDING:
            yield Obstacle(ObstacleCode.CHECK_PENDING, run.name, f"{told} is {run.status}")
        case Meaning.SKIPPED:
            because = f"{told} was {run.conclusion}, which the policy does not accept"
            yield Obstacle(ObstacleCode.CHECK_SKIPPED, run.name, because)
        case Meaning.FAILED:
            ended = run.conclusion or "a conclusion that is not known"
            yield Obstacle(ObstacleCode.CHECK_FAILED, run.name, f"{told} ended with {ended}")
        case _ as never:
            assert_never(never)


def _unreported(rule: RequiredCheck, stale: bool, deadline: datetime | None) -> Obstacle:
    app = rule.app or (f"app {rule.app_id}" if rule.app_id is not None else "")
    name = f"check {rule.name}" + (f" of {app}" if app else "")
    if stale:
        because = f"{name} has reported only on another head"
        return Obstacle(ObstacleCode.CHECK_STALE, rule.name, because, deadline)
    return Obstacle(ObstacleCode.CHECK_MISSING, rule.name, f"{name} has not reported", deadline)


def _told(run: Check) -> str:
    kind = "status" if run.source == "status" else "check"
    whose = [part for part in (run.app, run.workflow) if part]
    return f"{kind} {run.name}" + (f" ({', '.join(whose)})" if whose else "")
