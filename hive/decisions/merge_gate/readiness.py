"""Obstacles in the pull request itself: what is not known, drafts, holds, fresh pushes, conflicts, issues."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hive.decisions.durations import spell
from hive.decisions.merge_gate.judgement import Obstacle, ObstacleCode, after
from hive.decisions.merge_policy import MergePolicy
from hive.facts.forge import Label, PullRequest

_MUST_BE_KNOWN = (
    "draft",
    "author",
    "pushers",
    "base",
    "head",
    "pushed_at",
    "labels",
    "checks",
    "reviews",
    "unresolved_threads",
    "linked_issues",
    "files",
)
"""Fields without which nothing merges; `mergeable` has an obstacle of its own."""


def readiness_obstacles(pr: PullRequest, policy: MergePolicy, now: datetime) -> Iterator[Obstacle]:
    yield from _incomplete(pr)
    if pr.draft:
        yield Obstacle(ObstacleCode.DRAFT, "draft", "it is a draft; its author has to mark it ready")
    for label in pr.labels or ():
        if policy.holds(label.name):
            yield Obstacle(ObstacleCode.HOLD, label.name, _held(label))
    is_fresh, is_past = push_times(pr, policy, now)
    if pr.pushed_at is not None and is_fresh:
        since = f"less than {spell(policy.settle)} ago" if is_past else "at a time yet to come"
        until = after(pr.pushed_at, policy.settle)
        yield Obstacle(ObstacleCode.SETTLE, "push", f"it was pushed {since}", until)
    yield from _conflicts(pr, policy)
    if pr.linked_issues and all(issue.state == "closed" for issue in pr.linked_issues):
        numbers = ", ".join(f"#{issue.number}" for issue in pr.linked_issues)
        yield Obstacle(ObstacleCode.ISSUE_CLOSED, numbers, "every issue that it is linked to is closed")


def push_times(pr: PullRequest, policy: MergePolicy, now: datetime) -> tuple[bool, bool]:
    """Whether it is not settled yet, and whether its push is over: all that time decides in this file."""
    if pr.pushed_at is None:
        return False, False
    return now - pr.pushed_at < policy.settle, pr.pushed_at <= now


def _incomplete(pr: PullRequest) -> Iterator[Obstacle]:
    for field in _MUST_BE_KNOWN:
        if getattr(pr, field) is None:
            because = f"{field} is not known, and what is not known never merges"
            yield Obstacle(ObstacleCode.INCOMPLETE, field, because)
    for field, read, total in (
        ("checks", pr.checks, pr.checks_total),
        ("files", pr.files, pr.changed_files),
    ):
        if read is not None and total is not None and len(read) != total:
            because = f"{len(read)} {field} were read and the forge counts {total}"
            yield Obstacle(ObstacleCode.INCOMPLETE, field, because)


def _held(label: Label) -> str:
    return f"label {label.name} was put on by {label.by.login}" if label.by else f"it has label {label.name}"


def _conflicts(pr: PullRequest, policy: MergePolicy) -> Iterator[Obstacle]:
    if pr.unresolved_threads and (policy.resolve_threads or (pr.rules is not None and pr.rules.threads)):
        because = f"{pr.unresolved_threads} review threads are not resolved"
        yield Obstacle(ObstacleCode.THREADS, "threads", because)
    if pr.mergeable is None:
        because = "the forge has not yet said whether it conflicts with its base"
        yield Obstacle(ObstacleCode.MERGEABLE_UNKNOWN, "mergeable", because)
    elif not pr.mergeable:
        yield Obstacle(ObstacleCode.CONFLICT, pr.base or "base", "it conflicts with its base branch")
