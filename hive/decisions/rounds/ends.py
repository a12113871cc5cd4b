"""How a task on a pull request ends by itself: its turn is over, or what it was for is gone."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.lookup import pull_of, snapshot
from hive.decisions.policy import Policy
from hive.decisions.rounds.needs import wanted
from hive.decisions.rounds.review_claims import review_wanted
from hive.decisions.task_end import finish
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.intents import FinishTask, ReleaseTask
from hive.facts.memory import Memory
from hive.facts.work import Task, TaskKind, TaskState
from hive.facts.world import World


def round_end(task: Task, world: World, memory: Memory, policy: Policy) -> FinishTask | ReleaseTask | None:
    """The end of an open task, if it has come. What the look then shows decides whether there is another."""
    if task.turn:
        return finish(task, task.turn, task.detail)
    if task.state is not TaskState.CLAIMED:
        return None
    because = _moot(task, world, memory, policy)
    return _released(task, world.now, because) if because else None


def _moot(task: Task, world: World, memory: Memory, policy: Policy) -> str:
    """Why a task that its agent was not told of yet is not needed any more; empty while it is."""
    look = snapshot(world, task.repo)
    if look is None:
        return ""
    pull = pull_of(world, task.repo, task.issue)
    if pull is None or pull.state != "open":
        return f"#{task.issue} is no longer open"
    if pull.head != task.head:
        return f"#{task.issue} has a new head"
    if not _is_unknown(task, pull, look) and not _is_wanted(task, pull, look, world.now, memory, policy):
        return f"#{task.issue} needs it no more"
    return ""


def _is_wanted(
    task: Task, pull: PullRequest, look: RepositorySnapshot, now: datetime, memory: Memory, policy: Policy
) -> bool:
    if task.kind is TaskKind.REVIEW:
        return review_wanted(pull, look, now, memory, policy) is not None
    return task.kind in {need.kind for need in wanted(pull, look, memory, policy)}


def _is_unknown(task: Task, pull: PullRequest, look: RepositorySnapshot) -> bool:
    """Whether this look does not tell if it is still needed."""
    return {
        TaskKind.REBASE: pull.mergeable is None,
        TaskKind.FIX_CI: pull.checks is None or pull.base_checks is None,
        TaskKind.REVIEW: pull.checks is None,
        TaskKind.ANSWER_REVIEW: pull.number not in look.details,
    }.get(task.kind, False)


def _released(task: Task, now: datetime, because: str) -> ReleaseTask:
    return ReleaseTask(
        task=task.id, repo=task.repo, issue=task.issue, until=now, is_moot=True, because=because
    )
