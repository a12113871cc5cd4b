"""What an agent's memory is after its program was lost, and after it has proved to work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from hive.decisions.recall_maps import Maps
from hive.facts.agents import AgentState
from hive.facts.events import AgentChanged
from hive.facts.memory import CRASHES_KEPT, AgentMemory, IssueMemory
from hive.facts.work import TaskState, of_start

PROVEN = frozenset({"done", "asked", "refused"})
"""Outcomes of a turn by which a program proves that it works: it came to an end with its own word."""
NO_CRASH: Mapping[str, object] = {
    "crashes": 0,
    "crashed_at": None,
    "crash_times": (),
    "not_installed": False,
}


def after(known: AgentMemory, event: AgentChanged, at: datetime) -> AgentMemory:
    """`known` with one crash more; one that nobody is to blame for only makes the next start wait."""
    if event.shared:
        return replace(known, crashes=max(known.crashes, 1), crashed_at=at, not_installed=False)
    if event.not_installed:
        return replace(known, crashes=known.crashes + 1, crashed_at=at, not_installed=True)
    return counted(known, at)


def counted(known: AgentMemory, at: datetime) -> AgentMemory:
    times = (*known.crash_times, at)[-CRASHES_KEPT:]
    return replace(known, crashes=known.crashes + 1, crashed_at=at, crash_times=times, not_installed=False)


def blame(maps: Maps, known: AgentMemory, event: AgentChanged) -> None:
    """Count it against the task that the agent was told of; what ended before that did not end by it."""
    task = maps.tasks.get(known.task)
    if task is None or not task.is_open or of_start(task.prompt_id) != f"{task.id}/{known.generation}":
        return
    if event.state == AgentState.HUNG and task.state is TaskState.WORKING:
        maps.task(task.id, setbacks=task.setbacks + 1)
        return
    key = f"{task.repo}#{task.issue}"
    maps.issue(key, killed_agents=maps.issues.get(key, IssueMemory()).killed_agents + 1)
