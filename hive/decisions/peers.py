"""Agents look through each other's pull requests: whose review counts, what it says, and of which head.

The forge has every agent's words under hive's one account, and lets no account approve what it opened. So a
review is an ordinary comment on a head, whose first line is the verdict; hive's gateway marks which agent
wrote it, and nobody but hive's account can have such a mark believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hive.decisions import markers
from hive.decisions.merge_gate import Obstacle, ObstacleCode
from hive.decisions.policy import Policy
from hive.decisions.triage.trust import is_trusted
from hive.facts.actors import Actor, name_of, same_login
from hive.facts.forge import PullRequest, Review
from hive.facts.memory import PeerReview, PullMemory
from hive.facts.pull_details import PullDetails, ReviewText

FINE, CHANGES = "fine", "changes"
_VERDICT = re.compile(r"\W*verdict\s*:\s*\W*(fine|changes)\W*$", re.IGNORECASE)
_BY_STATE = {"approved": FINE, "changes_requested": CHANGES}


def may_review(agent: str, known: PullMemory, policy: Policy) -> bool:
    """Whether an agent's word on the pull request counts: it has one of the roles, and no part in it."""
    spec = policy.agent(agent)
    return (
        spec is not None
        and policy.rounds.has_reviews
        and spec.role in policy.rounds.reviewers
        and agent not in (known.agent, *known.hands)
    )


def peer_reviews(
    known: PullMemory, details: PullDetails, policy: Policy
) -> Iterator[tuple[ReviewText, PeerReview]]:
    """Reviews by other agents that have a verdict, oldest first."""
    for review in details.reviews:
        agent = agent_behind(review.by, review.body, policy)
        verdict = _verdict(review)
        if agent and verdict and review.head and may_review(agent, known, policy):
            yield review, PeerReview(agent, review.head, verdict, review_key(review))


def agent_behind(by: Actor | None, body: str, policy: Policy) -> str:
    """The agent that wrote something under hive's account; empty for none, and for every other account."""
    if by is None or not same_login(by.login, policy.account):
        return ""
    return markers.agent_of(body) or ""


def _verdict(review: ReviewText) -> str:
    first = next((line for line in review.body.splitlines() if line.strip()), "")
    found = _VERDICT.match(first)
    return found[1].lower() if found else _BY_STATE.get(review.state, "")


def review_key(review: ReviewText) -> str:
    at = review.at.isoformat() if review.at is not None else ""
    return f"review {name_of(review.by)} {at}"


def peer_obstacles(pull: PullRequest, known: PullMemory | None, policy: Policy) -> Iterator[Obstacle]:
    """What is against a merge while no other agent finds this head fine. A trusted person's approval of the
    head does instead."""
    if known is None or known.reverts or not policy.rounds.has_reviews or is_approved(pull, policy):
        return
    said = newest_peer(pull, known)
    if said is None:
        because = "no other agent has looked through this head"
        yield Obstacle(ObstacleCode.REVIEW_MISSING, "other agents", because)
    elif said.verdict != FINE:
        because = f"no other agent finds this head fine; {said.agent} asks for changes"
        yield Obstacle(ObstacleCode.REVIEW_MISSING, "other agents", because)


def newest_peer(pull: PullRequest, known: PullMemory) -> PeerReview | None:
    """The last word of another agent on this very head."""
    return next((one for one in reversed(known.peers) if one.head == pull.head), None)


def is_approved(pull: PullRequest, policy: Policy) -> bool:
    """Whether a person whose word counts approved this head."""
    return any(_approves(one, pull, policy) for one in pull.reviews or ())


def _approves(review: Review, pull: PullRequest, policy: Policy) -> bool:
    return (
        review.state == "approved"
        and review.head == pull.head
        and is_trusted(review.by, policy.triage)
        and not (review.by is not None and same_login(review.by.login, policy.account))
    )
