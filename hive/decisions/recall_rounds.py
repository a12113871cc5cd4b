"""Claims, and tasks on pull requests, folded from the journal."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.recall_maps import Maps
from hive.facts.intents import ClaimWork
from hive.facts.memory import RoundMemory
from hive.facts.work import Task, TaskKind, TaskState

_ANSWERED = 200
"""The most reviews of one pull request that are remembered as dealt with."""


def task_of(intent: ClaimWork, at: datetime) -> Task:
    return Task(
        id=intent.task,
        repo=intent.repo,
        issue=intent.issue,
        agent=intent.agent,
        branch=intent.branch,
        attempt=intent.attempt,
        state=TaskState.CLAIMED,
        claimed_at=at,
        snapshot=intent.snapshot,
        kind=intent.kind,
        head=intent.head,
        items=intent.items,
        closes=intent.closes,
    )


def claimed(maps: Maps, intent: ClaimWork) -> None:
    if intent.kind is not TaskKind.ISSUE:
        _change(maps, intent.subject, intent.kind, by=1, items=intent.items, ended_at=None)


def ended(maps: Maps, task: Task, outcome: str, at: datetime, *, is_moot: bool) -> None:
    """The newest of its kind is over. What was done is answered, and what was moot was no try."""
    if not task.is_round:
        return
    key = f"{task.repo}#{task.issue}"
    _change(maps, key, task.kind, by=-1 if is_moot else 0, items=task.items, ended_at=at)
    known = maps.pulls.get(key)
    if known is not None and outcome == "done":
        maps.pull(key, answered=tuple(dict.fromkeys((*known.answered, *task.items)))[-_ANSWERED:])


def _change(
    maps: Maps, key: str, kind: TaskKind, *, by: int, items: tuple[str, ...], ended_at: datetime | None
) -> None:
    pull = maps.pulls.get(key)
    if pull is None:
        return
    known = pull.rounds.get(kind, RoundMemory())
    changed = RoundMemory(max(known.count + by, 0), items, ended_at)
    maps.pull(key, rounds={**pull.rounds, kind: changed})
