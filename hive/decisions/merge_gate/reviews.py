"""Obstacles in the reviews: approvals that are missing or stale, changes that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from hive.decisions.merge_gate.judgement import Obstacle, ObstacleCode
from hive.decisions.merge_policy import MergePolicy
from hive.facts.actors import Actor, Association, name_of, same_login
from hive.facts.bases import NO_RULES
from hive.facts.forge import PullRequest, Review

_HEARD = frozenset({Association.OWNER, Association.MEMBER, Association.COLLABORATOR})
_STRICTNESS = {"approved": 0, "dismissed": 1, "changes_requested": 2}
"""States that count. Of two in the same second the stricter one is taken for the newer."""
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_FAR_AHEAD = datetime.max.replace(tzinfo=UTC)


def review_obstacles(pr: PullRequest, policy: MergePolicy) -> Iterator[Obstacle]:
    standing = _standing(pr)
    for review in standing:
        if review.state == "changes_requested" and _is_heard(review.by):
            yield _requested(review)
    rules = pr.rules or NO_RULES
    # Who pushed last approves nothing anyway, as no pusher does: that rule asks for one approval at least.
    wanted = max(policy.approvals, rules.approvals, int(rules.last_push))
    approving = [review for review in standing if _may_approve(review, pr, policy)]
    fresh = sum(review.head == pr.head for review in approving) if pr.head else 0
    stale = [review for review in approving if not pr.head or review.head != pr.head]
    if fresh < wanted or rules.code_owners:
        # Whose approval the owner's is, the forge does not tell: none of them may be of an earlier head.
        yield from map(_stale, stale)
    if fresh + len(stale) < wanted:
        because = f"{fresh} of {wanted} approvals on this head"
        yield Obstacle(ObstacleCode.REVIEW_MISSING, "approvals", because)
    if rules.code_owners and pr.review_decision != "approved":
        because = "its base wants the approval of code owners, and the forge does not say that it is given"
        yield Obstacle(ObstacleCode.CODE_OWNERS, "code owners", because)


def _stale(review: Review) -> Obstacle:
    because = f"{name_of(review.by)} approved {review.head or 'an unknown commit'}, not this head"
    return Obstacle(ObstacleCode.REVIEW_STALE, name_of(review.by), because)


def review_remarks(pr: PullRequest) -> Iterator[Obstacle]:
    """Changes asked for by people whose word does not block: shown, so that somebody can look."""
    for review in _standing(pr):
        if review.state == "changes_requested" and not _is_heard(review.by):
            yield _requested(review)


def _standing(pr: PullRequest) -> list[Review]:
    """Each reviewer's newest approving, rejecting or dismissed review."""
    latest: dict[str, Review] = {}
    for review in pr.reviews or ():
        if review.state not in _STRICTNESS:
            continue
        login = review.by.login.casefold() if review.by else ""
        known = latest.get(login)
        if known is None or _recency(review) > _recency(known):
            latest[login] = review
    return list(latest.values())


def _recency(review: Review) -> tuple[datetime, int]:
    strictness = _STRICTNESS[review.state]
    if review.at is None:
        return (_LONG_AGO if review.state == "approved" else _FAR_AHEAD, strictness)
    return (review.at, strictness)


def _is_heard(by: Actor | None) -> bool:
    return by is not None and by.association in _HEARD


def _may_approve(review: Review, pr: PullRequest, policy: MergePolicy) -> bool:
    by = review.by
    if review.state != "approved" or by is None or not _is_heard(by) or by.kind not in policy.approvals_by:
        return False
    concerned = [*(pr.pushers or ()), *([pr.author.login] if pr.author else [])]
    return not any(same_login(by.login, login) for login in concerned)


def _requested(review: Review) -> Obstacle:
    name = name_of(review.by)
    return Obstacle(ObstacleCode.CHANGES_REQUESTED, name, f"{name} has requested changes")
