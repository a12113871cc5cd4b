"""How standing work ends: by what came of it. It is never tried again before it is due."""

from __future__ import annotations

from hive.decisions.lookup import task_pull
from hive.decisions.task_end import finish
from hive.facts.intents import FinishTask
from hive.facts.memory import Memory
from hive.facts.work import Task


def standing_end(task: Task, memory: Memory) -> FinishTask | None:
    """The end of a task whose turn is over; None while it runs."""
    if not task.turn:
        return None
    pull = task_pull(memory, task)
    found = [one.id for one in memory.findings if one.is_of(task.id)]
    if pull is not None:
        return finish(task, "pull-request", pull)
    if found:
        return finish(task, "finding", ", ".join(found[:20]))
    if task.turn in ("asked", "refused"):
        return finish(task, task.turn, task.detail)
    if task.turn == "done":
        return finish(task, "done", task.detail or "nothing was found")
    return finish(task, "failed", task.detail or task.turn)
