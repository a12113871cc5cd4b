"""Whether hive has come to rest: what is left waits for people or for new issues."""

from __future__ import annotations

from hive.decisions.lifecycle import is_parked
from hive.decisions.lookup import snapshot
from hive.decisions.merge_gate import MergeVerdict
from hive.decisions.merging import judge_here
from hive.decisions.plan import plan
from hive.decisions.plan_pulls import rests
from hive.decisions.policy import Policy, is_started, mode_of
from hive.decisions.rounds.claims import is_to_come, taker
from hive.decisions.rounds.review_claims import review_wanted, reviewers
from hive.decisions.triage import TriageItem
from hive.decisions.work_queue import work_queue
from hive.facts.agents import AgentState
from hive.facts.autonomy import Mode
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.memory import AgentMemory, IssueMemory, Memory, PullMemory, RoundMemory
from hive.facts.world import Seen, World

NEEDS_PERSON = frozenset(
    {
        AgentState.ASKING,
        AgentState.BLOCKED,
        AgentState.LOGGED_OUT,
        AgentState.OUT_OF_CREDIT,
        AgentState.CRASHED,
        AgentState.FAILED_TO_START,
        AgentState.HUNG,
    }
)

_COMING_BACK = frozenset({AgentState.CRASHED, AgentState.FAILED_TO_START, AgentState.HUNG})
"""Of those, the ones that hive starts again by itself."""
_WAITING_FOR_PEOPLE = NEEDS_PERSON - _COMING_BACK


def is_settled(world: World, memory: Memory, policy: Policy) -> bool:
    """Whether nothing is under way or about to be: what is left waits for people or for new issues."""
    if memory.in_doubt or any(task.is_open for task in memory.tasks.values()):
        return False
    if not isinstance(world.agents, Seen) or world.hidden or plan(world, memory, policy).intents:
        return False
    return all(isinstance(section, Seen) for section in world.repos.values()) and not (
        _merges_to_come(world, memory, policy)
        or _starts_to_come(memory, policy)
        or _work_to_come(world, memory, policy)
        or _rounds_to_come(world, memory, policy)
    )


def _merges_to_come(world: World, memory: Memory, policy: Policy) -> bool:
    """Whether a pull request that hive may merge only waits for time or for a check."""
    for repo in world.repos:
        look = snapshot(world, repo)
        for pull in look.pull_requests if look else ():
            known = memory.pulls.get(f"{repo}#{pull.number}")
            spec = policy.agent(known.agent) if known else None
            if known is None or spec is None:
                continue
            if known.rests_after == "refused" and rests(known, pull, world.now):
                continue  # a person has to clear the way
            if mode_of(policy, memory, repo, spec) is not Mode.FULL:
                continue
            if judge_here(pull, repo, memory, policy, world.now).verdict is not MergeVerdict.BLOCKED:
                return True
    return False


def _waits_for_room(agent: AgentMemory) -> bool:
    """Whether no cluster takes its pod: somebody has to make room, or to mend the request."""
    return agent.sandbox is not None and agent.sandbox.phase in (SandboxPhase.PENDING, SandboxPhase.FAILED)


def _starts_to_come(memory: Memory, policy: Policy) -> bool:
    """Whether an agent is on its way to being ready: it may take work yet."""
    waiting = (AgentState.ABSENT, AgentState.STARTING)
    return any(
        is_started(policy, memory, spec)
        and memory.agents.get(spec.name, AgentMemory()).pause is None
        and memory.agents.get(spec.name, AgentMemory()).state in waiting
        and not _waits_for_room(memory.agents.get(spec.name, AgentMemory()))
        for spec in policy.agents
    )


def _work_to_come(world: World, memory: Memory, policy: Policy) -> bool:
    """Whether an issue rests and will be tried again, or waits while an agent comes back."""
    for repo in world.repos:
        for item in work_queue(world, repo, policy):
            known = memory.issues.get(f"{repo}#{item.number}", IssueMemory())
            untried = not known.last_outcome and not known.attempts
            states = _takers(item, repo, memory, policy)
            if not item.eligible or not states:
                continue
            if known.last_outcome == "released" or (untried and states & _COMING_BACK):
                return True
    return False


def _rounds_to_come(world: World, memory: Memory, policy: Policy) -> bool:
    """Whether a pull request needs something that its agent will get to in time."""
    for repo in world.repos:
        look = snapshot(world, repo)
        for pull in look.pull_requests if look else ():
            known = memory.pulls.get(f"{repo}#{pull.number}")
            if (
                look is not None
                and known is not None
                and _review_to_come(pull, known, look, world, memory, policy)
            ):
                return True
            spec = taker(known, repo, memory, policy) if known is not None else None
            if look is None or known is None or spec is None:
                continue
            agent = memory.agents.get(spec.name, AgentMemory())
            waits = agent.pause is not None or agent.state in _WAITING_FOR_PEOPLE
            if not waits and is_to_come(pull, known, look, memory, policy):
                return True
    return False


def _review_to_come(
    pull: PullRequest,
    known: PullMemory,
    look: RepositorySnapshot,
    world: World,
    memory: Memory,
    policy: Policy,
) -> bool:
    """Whether another agent will look through it in time."""
    later = world.now + policy.merge[look.repo].settle
    need = review_wanted(pull, look, later, memory, policy)
    if need is None or known.rounds.get(need.kind, RoundMemory()).count >= policy.rounds.limit(need.kind):
        return False
    return any(
        agent.pause is None and agent.state not in _WAITING_FOR_PEOPLE
        for spec in reviewers(known, look.repo, memory, policy)
        for agent in (memory.agents.get(spec.name, AgentMemory()),)
    )


def _takers(item: TriageItem, repo: str, memory: Memory, policy: Policy) -> set[str]:
    """States of the agents that may take an issue without a person's doing."""
    return {
        known.state
        for spec in policy.agents
        for known in (memory.agents.get(spec.name, AgentMemory()),)
        if repo in spec.repos
        and (not spec.lanes or item.lane in spec.lanes)
        and known.pause is None
        and known.state not in _WAITING_FOR_PEOPLE
        and not is_parked(policy.lifecycle, known)
        and mode_of(policy, memory, repo, spec) is not None
    }
