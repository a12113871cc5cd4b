"""Who takes which issue: claims for those who are free, fairly shared where not all can be served."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.governor import Served, first_served
from hive.decisions.hands_off import is_typed_in
from hive.decisions.leases import held_by_others
from hive.decisions.limits import PARKED, can_be_woken, is_limited, may_wake
from hive.decisions.lookup import in_hand, sightings, snapshot
from hive.decisions.policy import Policy, mode_of
from hive.decisions.released import text_digest
from hive.decisions.triage import TriageItem
from hive.decisions.work_queue import work_queue
from hive.facts.agents import AgentSighting, AgentSpec, AgentState
from hive.facts.autonomy import Mode
from hive.facts.forge import Issue
from hive.facts.governor import LoadMode
from hive.facts.intents import ClaimWork
from hive.facts.memory import AgentMemory, IssueMemory, Memory
from hive.facts.work import branch_name, task_id
from hive.facts.world import World

_FINAL = frozenset({"pull-request", "asked", "refused", "failed", "quarantined"})
"""Outcomes after which an issue is left to people."""
FREE = frozenset({AgentState.READY, AgentState.FAILED})
"""States in which a prompt may be typed: the composer is empty, the last turn is over, well or not."""
_OLDEST_EACH = 4
"""Of so many tasks in a repository one goes to the oldest issue of all, so that no lane waits for ever."""
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An eligible issue that nobody has."""

    item: TriageItem
    issue: Issue
    created_at: datetime


@dataclass(slots=True)
class _Round:
    """One round of giving: what waits where, who is free, and what each repository and role had so far."""

    memory: Memory
    policy: Policy
    accounts: Accounts
    now: datetime
    served: Served
    free: list[AgentSpec]
    queues: dict[str, list[Waiting]]

    def claim_in(self, repo: str) -> ClaimWork | None:
        """The next claim in `repo`, or None where none of the free may take any of what waits."""
        takers = [spec for spec in self.free if repo in spec.repos and self._may_work(spec, repo)]
        if not takers:
            return None
        # Of one role those first who take less: the others find work elsewhere.
        takers.sort(key=lambda spec: (self.served.role_turn(spec.role), not spec.lanes))
        for waiting in self._in_turn(repo):
            for spec in takers:
                if self._suits(spec, repo, waiting.item):
                    self._give(spec, repo, waiting)
                    return issue_claim(spec, repo, waiting, self.memory)
        return None

    def _may_work(self, spec: AgentSpec, repo: str) -> bool:
        load = self.memory.load.mode if self.memory.load is not None else LoadMode.BUSY
        last = self.served.last_of_role.get(spec.role)
        is_due = last is None or self.now - last >= self.policy.governor.pace(spec.role, load)
        return is_due and mode_of(self.policy, self.memory, repo, spec) is not None

    def _in_turn(self, repo: str) -> list[Waiting]:
        """By rank, but the oldest first where it is the turn of the oldest."""
        queue = self.queues[repo]
        if self.served.count_of.get(repo.casefold(), 0) % _OLDEST_EACH != _OLDEST_EACH - 1 or not queue:
            return queue
        oldest = min(queue, key=lambda one: (one.created_at, one.item.number))
        return [oldest, *(one for one in queue if one is not oldest)]

    def _suits(self, spec: AgentSpec, repo: str, item: TriageItem) -> bool:
        if spec.lanes and item.lane not in spec.lanes:
            return False
        mode = mode_of(self.policy, self.memory, repo, spec)
        known = self.memory.issues.get(f"{repo}#{item.number}")
        return (
            mode is not None
            and is_open_to(known, mode, self.now, self.policy)
            and not self.accounts.over(purpose_of(spec, repo, item.number))
        )

    def _give(self, spec: AgentSpec, repo: str, waiting: Waiting) -> None:
        self.queues[repo].remove(waiting)
        self.free.remove(spec)
        self.served.give(repo, spec.role, self.now)


def free_agents(world: World, memory: Memory, policy: Policy) -> list[AgentSpec]:
    """Those that may be given a task now; none while the terminal is unseen."""
    seen = sightings(world)
    if seen is None:
        return []
    return [spec for spec in policy.agents if _is_free(spec, seen.get(spec.name), memory, policy, world.now)]


def claims(
    free: list[AgentSpec],
    world: World,
    memory: Memory,
    policy: Policy,
    accounts: Accounts,
    given: int = 0,
) -> Iterator[ClaimWork]:
    """An issue for each of `free`, as far as the governor's slots and cadences go; `given` tasks were given
    to others in this round.

    Repositories are served in turn, the one with the least of its share first, then the one that waited
    longest; in each the order of triage holds.
    """
    if not free:
        return
    round_ = _begin(free, world, memory, policy, accounts)
    round_.served.slots_used += given
    slots = policy.governor.slots.get(memory.load.mode) if memory.load is not None else None
    left = [repo for repo, queue in round_.queues.items() if queue]
    while left and round_.free and (slots is None or round_.served.slots_used < slots):
        repo = first_served(left, round_.served)[0]
        claim = round_.claim_in(repo)
        if claim is None:
            left.remove(repo)
        else:
            yield claim


def _begin(free: list[AgentSpec], world: World, memory: Memory, policy: Policy, accounts: Accounts) -> _Round:
    roles = {spec.name: spec.role for spec in policy.agents}
    served = Served.of(memory.tasks.values(), roles, policy.governor)
    return _Round(memory, policy, accounts, world.now, served, free, waiting(world, memory, policy))


def waiting(world: World, memory: Memory, policy: Policy) -> dict[str, list[Waiting]]:
    """By repository, eligible issues that no agent has and no pull request of hive's is about, by rank."""
    taken = in_hand(memory)
    found: dict[str, list[Waiting]] = {}
    for repo in world.repos:
        look = snapshot(world, repo)
        issues = {issue.number: issue for issue in look.issues} if look is not None else {}
        found[repo] = [
            _waiting(item, issues[item.number])
            for item in work_queue(world, repo, policy)
            if item.eligible
            and (repo.casefold(), item.number) not in taken
            and not held_by_others(issues[item.number], policy, world.now)
        ]
    return found


def _waiting(item: TriageItem, issue: Issue) -> Waiting:
    return Waiting(item, issue, issue.created_at or _LAST)


def _is_free(
    spec: AgentSpec, sighting: AgentSighting | None, memory: Memory, policy: Policy, now: datetime
) -> bool:
    """Whether it may be given a task now. Not where a person types: the task would wait for the hands to
    rest, and another agent may begin at once."""
    agent = memory.agents.get(spec.name, AgentMemory())
    task = memory.tasks.get(agent.task)
    return (
        sighting is not None
        and sighting.alive
        and not is_typed_in(sighting, policy.lifecycle, now)
        and agent.pause is None
        and not agent.restart_wanted
        and _takes_work(spec, agent, sighting, memory, now)
        and (task is None or not task.is_open)
    )


def _takes_work(
    spec: AgentSpec, agent: AgentMemory, sighting: AgentSighting, memory: Memory, now: datetime
) -> bool:
    """Whether its composer is free and its account not limited. One whose own limit should be over tries."""
    if agent.state in PARKED:
        return can_be_woken(sighting) and may_wake(spec, agent, memory, now)
    return agent.state in FREE and not is_limited(memory, spec.shares, now)


def is_open_to(issue: IssueMemory | None, mode: Mode, now: datetime, policy: Policy) -> bool:
    """Whether an issue may be tried now by an agent in `mode`."""
    if issue is None:
        return True
    if issue.rests_until is not None and now < issue.rests_until:
        return False
    if issue.last_outcome == "finding":
        # A finding is all that a lower mode may give; a raised level makes work of it.
        return mode.rank >= Mode.HOLDGATED.rank
    return issue.last_outcome not in _FINAL and issue.attempts < policy.lifecycle.attempts + 1


def issue_claim(spec: AgentSpec, repo: str, waiting: Waiting, memory: Memory) -> ClaimWork:
    attempt = memory.issues.get(f"{repo}#{waiting.item.number}", IssueMemory()).attempts + 1
    return ClaimWork(
        task=task_id(repo, waiting.item.number, attempt),
        agent=spec.name,
        repo=repo,
        issue=waiting.item.number,
        attempt=attempt,
        branch=branch_name(spec.name, waiting.item.number, waiting.issue.title),
        snapshot=text_digest(waiting.issue),
        because=waiting.item.because,
    )
