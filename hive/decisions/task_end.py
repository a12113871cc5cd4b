"""The end of a task, as an intent."""

from __future__ import annotations

from hive.facts.intents import FinishTask
from hive.facts.work import Task


def finish(task: Task, outcome: str, detail: str) -> FinishTask:
    """Have `task` end with `outcome`; `detail` is for a person."""
    return FinishTask(task=task.id, repo=task.repo, issue=task.issue, outcome=outcome, detail=detail)
