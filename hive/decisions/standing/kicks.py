"""Whose standing work is due, and who takes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from functools import cache, partial

from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.lookup import open_tasks, snapshot
from hive.decisions.plan_claims import Waiting, is_open_to, waiting
from hive.decisions.policy import Policy, mode_of
from hive.decisions.standing_policy import StandingDuty
from hive.facts.agents import AgentSpec
from hive.facts.intents import ClaimWork
from hive.facts.memory import IssueMemory, Memory
from hive.facts.work import TaskKind, task_id
from hive.facts.world import World


def standing_claims(
    world: World,
    memory: Memory,
    policy: Policy,
    accounts: Accounts,
    free: Collection[AgentSpec],
    given: int,
) -> Iterator[ClaimWork]:
    """A claim for each duty that is due and has a free agent, as far as the governor's slots go.

    Where issues wait, nobody gets standing work twice in a row: the queue is drained in every mode.
    """
    if memory.load is None or not policy.standing:
        return
    slots = policy.governor.slots.get(memory.load.mode)
    used = len(open_tasks(memory)) + given
    left = list(free)
    queues = cache(partial(waiting, world, memory, policy))  # dear, and seldom asked for

    def has_issues(spec: AgentSpec, repo: str) -> bool:
        return _has_issues(spec, repo, queues().get(repo, ()), world.now, memory, policy)

    for repo in sorted(world.repos):
        if snapshot(world, repo) is None:
            continue
        attempt = memory.issues.get(f"{repo}#0", IssueMemory()).attempts
        for duty in policy.standing:
            if slots is not None and used >= slots:
                return
            if not _is_due(duty, repo, world.now, memory):
                continue
            able = [spec for spec in left if not accounts.over(purpose_of(spec, repo, 0))]
            spec = _taker(duty, repo, able, has_issues, memory, policy)
            if spec is not None:
                left.remove(spec)
                used, attempt = used + 1, attempt + 1
                yield _claim(duty, spec, repo, attempt)


def next_kick(duty: StandingDuty, repo: str, memory: Memory) -> datetime | None:
    """When a role's standing work in a repository is due; None while the load is such that it never is. Of
    one that was never begun it is the beginning of the load's mode: at once."""
    if memory.load is None or duty.every.get(memory.load.mode) is None:
        return None
    last = memory.standing.get(key_of(repo, duty.role))
    return last + duty.every[memory.load.mode] if last is not None else memory.load.since


def key_of(repo: str, role: str) -> str:
    return f"{repo.casefold()} {role}"


def _taker(
    duty: StandingDuty,
    repo: str,
    able: list[AgentSpec],
    has_issues: Callable[[AgentSpec, str], bool],
    memory: Memory,
    policy: Policy,
) -> AgentSpec | None:
    for spec in able:
        if spec.role != duty.role or repo not in spec.repos or mode_of(policy, memory, repo, spec) is None:
            continue
        if not (_did_so_last(spec, memory) and has_issues(spec, repo)):
            return spec
    return None


def _is_due(duty: StandingDuty, repo: str, now: datetime, memory: Memory) -> bool:
    due = next_kick(duty, repo, memory)
    return due is not None and due <= now and not _is_under_way(duty, repo, memory)


def _is_under_way(duty: StandingDuty, repo: str, memory: Memory) -> bool:
    for task in open_tasks(memory):
        if task.is_standing and task.repo.casefold() == repo.casefold() and duty.role in task.items:
            return True
    return False


def _has_issues(
    spec: AgentSpec,
    repo: str,
    queue: Iterable[Waiting],
    now: datetime,
    memory: Memory,
    policy: Policy,
) -> bool:
    """Whether an issue waits there that the agent may take: one that it has done with waits for people."""
    mode = mode_of(policy, memory, repo, spec)
    for one in queue:
        known = memory.issues.get(f"{repo}#{one.item.number}")
        suits = not spec.lanes or one.item.lane in spec.lanes
        if mode is not None and suits and is_open_to(known, mode, now, policy):
            return True
    return False


def _did_so_last(spec: AgentSpec, memory: Memory) -> bool:
    """Whether the agent's newest task was standing work."""
    own = [task for task in memory.tasks.values() if task.agent == spec.name]
    return bool(own) and max(own, key=lambda task: task.claimed_at).is_standing


def _claim(duty: StandingDuty, spec: AgentSpec, repo: str, attempt: int) -> ClaimWork:
    return ClaimWork(
        task=task_id(repo, 0, attempt),
        agent=spec.name,
        repo=repo,
        issue=0,
        attempt=attempt,
        branch=f"hive/{spec.name}/standing-{attempt}",
        kind=TaskKind.STANDING,
        items=(duty.role,),
        because=f"standing work of {duty.role}",
    )
