"""What pull requests need of their agents, as `hive work` shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.lookup import open_tasks, snapshot
from hive.decisions.policy import Policy
from hive.decisions.rounds.needs import wanted
from hive.decisions.rounds.review_claims import review_wanted, reviewers
from hive.facts.memory import Memory, PullMemory, RoundMemory
from hive.facts.work import Task, TaskKind
from hive.facts.world import World

_KINDS = (TaskKind.FIX_CI, TaskKind.ANSWER_REVIEW, TaskKind.REBASE, TaskKind.REVIEW)


def round_rows(world: World, memory: Memory, policy: Policy) -> Iterator[dict[str, Any]]:
    """A row for each need of an open pull request, for its open task, and for one that is left to people."""
    tasks = {(task.repo, task.issue): task for task in open_tasks(memory) if task.is_round}
    for repo in world.repos:
        look = snapshot(world, repo)
        for pull in look.pull_requests if look else ():
            known = memory.pulls.get(f"{repo}#{pull.number}")
            if look is None or known is None:
                continue
            needs = {need.kind: need.because for need in wanted(pull, look, memory, policy)}
            review = review_wanted(pull, look, world.now, memory, policy)
            if review is not None:
                needs[review.kind] = review.because
            task = tasks.get((repo, pull.number))
            if task is not None:
                needs.setdefault(task.kind, "under way")
            for kind in _KINDS:
                had = known.rounds.get(kind, RoundMemory())
                is_this = task is not None and task.kind is kind
                if kind not in needs and not (known.left and kind is _KINDS[0]):
                    continue
                yield {
                    "repo": repo,
                    "number": pull.number,
                    "title": pull.title,
                    "kind": None if known.left else kind,
                    "agent": _agent(kind, task, known, repo, memory, policy),
                    "task": task.id if task is not None and is_this else None,
                    "tasks": had.count,
                    "most": policy.rounds.limit(kind),
                    "because": known.left or needs[kind],
                }


def _agent(
    kind: TaskKind, task: Task | None, known: PullMemory, repo: str, memory: Memory, policy: Policy
) -> str:
    """Who has the task or would be the first to get it; of a review that nobody may do, nobody."""
    if kind is not TaskKind.REVIEW:
        return known.agent
    if task is not None and task.kind is kind:
        return task.agent
    return next((spec.name for spec in reviewers(known, repo, memory, policy)), "nobody")
