"""Who takes what a pull request needs: the agent that opened it, one task at a time, so often at most."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.lookup import is_taken, snapshot
from hive.decisions.policy import Policy, mode_of
from hive.decisions.reconcile import about_pull
from hive.decisions.rounds.needs import Wanted, wanted
from hive.facts.agents import AgentSpec
from hive.facts.autonomy import Mode
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.intents import ClaimWork
from hive.facts.memory import IssueMemory, Memory, PullMemory, RoundMemory
from hive.facts.work import task_id
from hive.facts.world import Seen, World


def round_claims(
    world: World, memory: Memory, policy: Policy, accounts: Accounts, free: Collection[str]
) -> Iterator[ClaimWork]:
    """A claim for each pull request that needs something and whose agent is among `free`. What was begun
    goes before what is new: these are given before any issue."""
    left = set(free)
    for repo in world.repos:
        look = snapshot(world, repo)
        for pull in sorted(look.pull_requests, key=lambda one: one.number) if look else ():
            assert look is not None
            known = memory.pulls.get(f"{repo}#{pull.number}")
            if known is None or is_taken(pull, repo, memory) or is_left_alone(pull, repo, memory):
                continue
            spec = taker(known, repo, memory, policy)
            if spec is None or spec.name not in left:
                continue
            due = _due(pull, known, look, world, memory, policy)
            if due is None or accounts.over(purpose_of(spec, repo, known.issue or pull.number)):
                continue
            left.discard(spec.name)
            yield claim_of(due, pull, known, spec, repo, memory)


def is_left_alone(pull: PullRequest, repo: str, memory: Memory) -> bool:
    """Whether an incident is about it, or agents crashed over it too often."""
    known = memory.issues.get(f"{repo}#{pull.number}", IssueMemory())
    return (
        known.last_outcome == "quarantined"
        or about_pull(repo, pull.number, pull.head_ref, memory) is not None
    )


def taker(known: PullMemory, repo: str, memory: Memory, policy: Policy) -> AgentSpec | None:
    """The agent that opened it, where its mode there still lets it push."""
    spec = policy.agent(known.agent)
    if spec is None or repo not in spec.repos:
        return None
    mode = mode_of(policy, memory, repo, spec)
    return spec if mode in (Mode.HOLDGATED, Mode.FULL) else None


def _due(
    pull: PullRequest,
    known: PullMemory,
    look: RepositorySnapshot,
    world: World,
    memory: Memory,
    policy: Policy,
) -> Wanted | None:
    """The most urgent need that is neither exhausted nor at rest."""
    for need in wanted(pull, look, memory, policy):
        if may_be_tried(need, known, look.repo, world, policy):
            return need
    return None


def may_be_tried(need: Wanted, known: PullMemory, repo: str, world: World, policy: Policy) -> bool:
    """Whether the need is neither exhausted nor at rest."""
    section = world.repos[repo]
    assert isinstance(section, Seen)
    had = known.rounds.get(need.kind, RoundMemory())
    is_left = had.count < policy.rounds.limit(need.kind)
    return is_left and not _rests(had, need, section.at, world.now, policy)


def _rests(had: RoundMemory, need: Wanted, seen_at: datetime, now: datetime, policy: Policy) -> bool:
    """Whether the same was tried a moment ago, or this look is older than the end of the last try."""
    if had.ended_at is None:
        return False
    if seen_at <= had.ended_at:
        return True
    rest = policy.lifecycle.rest * (2 ** min(max(had.count - 1, 0), 16))
    return had.items == need.items and now < had.ended_at + rest


def claim_of(
    need: Wanted, pull: PullRequest, known: PullMemory, spec: AgentSpec, repo: str, memory: Memory
) -> ClaimWork:
    attempt = memory.issues.get(f"{repo}#{pull.number}", IssueMemory()).attempts + 1
    return ClaimWork(
        task=task_id(repo, pull.number, attempt),
        agent=spec.name,
        repo=repo,
        issue=pull.number,
        attempt=attempt,
        branch=pull.head_ref,
        kind=need.kind,
        head=str(pull.head),
        items=need.items,
        closes=known.issue or 0,
        because=f"#{pull.number} by {known.agent}: {need.because}",
    )


def is_to_come(
    pull: PullRequest, known: PullMemory, look: RepositorySnapshot, memory: Memory, policy: Policy
) -> bool:
    """Whether it needs something of which it may have another task, now or after a rest."""
    return not is_left_alone(pull, look.repo, memory) and any(
        known.rounds.get(need.kind, RoundMemory()).count < policy.rounds.limit(need.kind)
        for need in wanted(pull, look, memory, policy)
    )
