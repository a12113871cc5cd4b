"""Which free agent gets which issue: one each, in the order of triage."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.limits import PARKED, can_be_woken, is_limited, may_wake
from hive.decisions.lookup import open_tasks, sightings, snapshot
from hive.decisions.policy import Policy, mode_of
from hive.decisions.triage import TriageItem, triage
from hive.facts.agents import AgentSighting, AgentSpec, AgentState
from hive.facts.autonomy import Mode
from hive.facts.intents import (
    ClaimWork,
)
from hive.facts.memory import AgentMemory, IssueMemory, Memory
from hive.facts.work import branch_name, task_id
from hive.facts.world import World

_FINAL = frozenset({"pull-request", "asked", "refused", "failed", "quarantined"})
"""Outcomes after which an issue is left to people."""
FREE = frozenset({AgentState.READY, AgentState.FAILED})
"""States in which a prompt may be typed: the composer is empty, the last turn is over, well or not."""


def claims(world: World, memory: Memory, policy: Policy, accounts: Accounts) -> Iterator[ClaimWork]:
    """One issue for each free agent, in the order of triage; agents in the configuration's order."""
    seen = sightings(world)
    if seen is None:
        return
    taken = {(task.repo.casefold(), task.issue) for task in open_tasks(memory)}
    queues = {repo: _queue(repo, world, memory, policy) for repo in world.repos}
    for spec in policy.agents:
        if not _is_free(spec, seen.get(spec.name), memory, world.now):
            continue
        for repo, item, title in _candidates(spec, queues):
            key = (repo.casefold(), item.number)
            mode = mode_of(policy, memory, repo, spec)
            if key in taken or mode is None or accounts.over(purpose_of(spec, repo, item.number)):
                continue
            if not _is_open_to(memory.issues.get(f"{repo}#{item.number}"), mode, world.now, policy):
                continue
            taken.add(key)
            yield _claim(spec, repo, item, title, memory)
            break


def _queue(repo: str, world: World, memory: Memory, policy: Policy) -> list[tuple[TriageItem, str]]:
    look = snapshot(world, repo)
    if look is None:
        return []
    titles = {issue.number: issue.title for issue in look.issues}
    claimed = {
        pull.issue
        for key, pull in memory.pulls.items()
        if pull.state == "open" and key.rpartition("#")[0] == repo
    }
    return [
        (item, titles[item.number])
        for item in triage(look.issues, policy.triage)
        if item.eligible and item.number not in claimed
    ]


def _candidates(
    spec: AgentSpec, queues: dict[str, list[tuple[TriageItem, str]]]
) -> Iterator[tuple[str, TriageItem, str]]:
    """Eligible issues of the agent's repositories and lanes; repositories take turns by rank."""
    rows = [
        (item.rank or 0, repo, item, title)
        for repo in spec.repos
        for item, title in queues.get(repo, ())
        if not spec.lanes or item.lane in spec.lanes
    ]
    for _, repo, item, title in sorted(rows, key=lambda row: (row[0], row[1])):
        yield repo, item, title


def _is_free(spec: AgentSpec, sighting: AgentSighting | None, memory: Memory, now: datetime) -> bool:
    agent = memory.agents.get(spec.name, AgentMemory())
    task = memory.tasks.get(agent.task)
    return (
        sighting is not None
        and sighting.alive
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


def _is_open_to(issue: IssueMemory | None, mode: Mode, now: datetime, policy: Policy) -> bool:
    """Whether an issue may be tried now by an agent in `mode`."""
    if issue is None:
        return True
    if issue.rests_until is not None and now < issue.rests_until:
        return False
    if issue.last_outcome == "finding":
        # A finding is all that a lower mode may give; a raised level makes work of it.
        return mode.rank >= Mode.HOLDGATED.rank
    return issue.last_outcome not in _FINAL and issue.attempts < policy.lifecycle.attempts + 1


def _claim(spec: AgentSpec, repo: str, item: TriageItem, title: str, memory: Memory) -> ClaimWork:
    attempt = memory.issues.get(f"{repo}#{item.number}", IssueMemory()).attempts + 1
    return ClaimWork(
        task=task_id(repo, item.number, attempt),
        agent=spec.name,
        repo=repo,
        issue=item.number,
        attempt=attempt,
        branch=branch_name(spec.name, item.number, title),
        because=item.because,
    )
