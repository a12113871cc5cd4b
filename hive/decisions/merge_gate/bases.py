"""Obstacles in the base: its own rules, a head that does not contain it, a base that is broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hive.decisions.counting import counted
from hive.decisions.merge_gate.checks import newest
from hive.decisions.merge_gate.conclusions import breaks_base
from hive.decisions.merge_gate.judgement import Obstacle, ObstacleCode
from hive.decisions.merge_policy import MergePolicy
from hive.facts.bases import BaseRules
from hive.facts.forge import Check, PullRequest


def base_obstacles(pr: PullRequest, policy: MergePolicy) -> Iterator[Obstacle]:
    if pr.rules is None:
        because = "rules of its base are not known, and what is not known never merges"
        yield Obstacle(ObstacleCode.INCOMPLETE, "rules", because)
    else:
        yield from _rules(pr.rules, policy)
        if pr.rules.strict or policy.up_to_date:
            yield from _behind(pr)
    if policy.base_green:
        yield from _broken(pr, policy)


def _rules(rules: BaseRules, policy: MergePolicy) -> Iterator[Obstacle]:
    for rule, because in _unmet(rules, policy.method):
        yield Obstacle(ObstacleCode.BASE_RULE, rule, because)


def _unmet(rules: BaseRules, method: str) -> Iterator[tuple[str, str]]:
    if rules.locked:
        yield "locked", "its base is locked: nothing gets in"
    if method not in rules.methods and not rules.queue:
        allowed = ", ".join(sorted(rules.methods)) or "none"
        yield "method", f"its base does not allow the method {method} (allowed: {allowed})"
    if rules.linear and method == "merge" and not rules.queue:
        yield "linear-history", "its base wants a linear history, and the method merge makes a merge commit"
    if rules.signatures and method != "squash" and not rules.queue:
        yield "signatures", f"its base wants signed commits, and the method {method} takes them as they are"
    for environment in rules.deployments:
        yield (
            f"deployment {environment}",
            f"its base wants a deployment to {environment} first; a person merges",
        )
    for name in rules.others:
        yield name, f"its base has the rule {name}, which hive cannot check; a person merges"


def _behind(pr: PullRequest) -> Iterator[Obstacle]:
    if pr.behind is None:
        because = "whether it contains its base's tip is not known, and what is not known never merges"
        yield Obstacle(ObstacleCode.INCOMPLETE, "behind", because)
    elif pr.behind:
        commits = counted(pr.behind, "commit")
        because = f"it is {commits} behind its base, and has to be checked on top of them"
        yield Obstacle(ObstacleCode.BEHIND, pr.base or "base", because)


def _broken(pr: PullRequest, policy: MergePolicy) -> Iterator[Obstacle]:
    if pr.base_checks is None:
        because = "the checks of its base are not known, and what is not known never merges"
        yield Obstacle(ObstacleCode.INCOMPLETE, "base_checks", because)
        return
    for run in broken(pr.base_checks, pr.base_tip, pr.rules, policy):
        because = f"check {run.name} of its base ended with {run.conclusion}; nothing is merged onto it"
        yield Obstacle(ObstacleCode.BASE_RED, run.name, because)


def broken(
    checks: Iterable[Check], commit: str, rules: BaseRules | None, policy: MergePolicy
) -> tuple[Check, ...]:
    """The newest runs on `commit` that say that it is broken, of those checks that count: where some are
    required, those alone."""
    counted = counts(rules, policy)
    runs = newest(check for check in checks if check.head == commit and check.name not in policy.own_checks)
    return tuple(run for run in runs if breaks_base(run) and (counted is None or run.name in counted))


def counts(rules: BaseRules | None, policy: MergePolicy) -> frozenset[str] | None:
    """Names of the checks that decide about a commit; `None`: all of them."""
    if policy.required is None:
        return None
    required = {rule.name for rule in policy.counted_requirements()}
    return frozenset(required | {one.name for one in (rules.contexts if rules else ())})
