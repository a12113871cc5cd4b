"""Who looks through which pull request: one agent for each head, never one that has a part in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.lookup import is_taken, snapshot
from hive.decisions.merge_gate.checks import newest
from hive.decisions.merge_gate.conclusions import COMPLETED
from hive.decisions.peers import CHANGES, is_approved, may_review, newest_peer
from hive.decisions.policy import Policy, mode_of
from hive.decisions.rounds.claims import claim_of, is_left_alone, may_be_tried
from hive.decisions.rounds.needs import Wanted, wanted
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import Mode
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.intents import ClaimWork
from hive.facts.memory import Memory, PullMemory
from hive.facts.work import TaskKind
from hive.facts.world import World


def review_claims(
    world: World, memory: Memory, policy: Policy, accounts: Accounts, free: Collection[str]
) -> Iterator[ClaimWork]:
    """A claim for each pull request that is to be looked through, as far as reviewers are among `free`."""
    left = set(free) if policy.rounds.has_reviews else set()
    for repo in world.repos:
        look = snapshot(world, repo)
        for pull in sorted(look.pull_requests, key=lambda one: one.number) if look and left else ():
            assert look is not None
            known = memory.pulls.get(f"{repo}#{pull.number}")
            if known is None or is_taken(pull, repo, memory) or is_left_alone(pull, repo, memory):
                continue
            need = review_wanted(pull, look, world.now, memory, policy)
            if need is None or not may_be_tried(need, known, repo, world, policy):
                continue
            for spec in reviewers(known, repo, memory, policy):
                subject = known.issue or pull.number
                if spec.name in left and accounts.over(purpose_of(spec, repo, subject)) is None:
                    left.discard(spec.name)
                    yield claim_of(need, pull, known, spec, repo, memory)
                    break


def reviewers(known: PullMemory, repo: str, memory: Memory, policy: Policy) -> list[AgentSpec]:
    """Who may look through it, first who did before: it knows what it asked for."""
    found = [
        spec
        for spec in policy.agents
        if repo in spec.repos
        and may_review(spec.name, known, policy)
        and mode_of(policy, memory, repo, spec) in (Mode.HOLDGATED, Mode.FULL)
    ]
    before = {one.agent for one in known.peers}
    return sorted(found, key=lambda spec: spec.name not in before)


def review_wanted(
    pull: PullRequest, look: RepositorySnapshot, now: datetime, memory: Memory, policy: Policy
) -> Wanted | None:
    """The review that `pull` is due: of a head that has none yet, or whose review its agent has answered
    without a new head. Not while it needs something of its agent, or while checks run or may still come."""
    known = memory.pulls.get(f"{look.repo}#{pull.number}")
    if known is None or not policy.rounds.has_reviews or not _is_at_rest(pull, known):
        return None
    if is_approved(pull, policy) or next(iter(wanted(pull, look, memory, policy)), None) is not None:
        return None
    if not _has_checks(pull) and (
        pull.pushed_at is None or now < pull.pushed_at + policy.merge[look.repo].settle
    ):
        return None
    head, said = str(pull.head), newest_peer(pull, known)
    if said is None:
        return Wanted(TaskKind.REVIEW, (head,), f"no other agent has looked through {head[:12]}")
    if said.verdict == CHANGES and said.key in known.answered:
        because = f"what {said.agent} said of {head[:12]} was answered"
        return Wanted(TaskKind.REVIEW, (head, said.key), because)
    return None


def _has_checks(pull: PullRequest) -> bool:
    return any(run.head == pull.head for run in pull.checks or ())


def _is_at_rest(pull: PullRequest, known: PullMemory) -> bool:
    """Whether it is open and nothing is under way on it that would make a review stale."""
    runs = newest(run for run in pull.checks or () if run.head == pull.head)
    return (
        known.state == "open"
        and pull.state == "open"
        and bool(pull.head)
        and not pull.queued
        and not known.left
        and not known.reverts
        and pull.checks is not None
        and all(run.status == COMPLETED for run in runs)
    )
