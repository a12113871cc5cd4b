"""What pull requests need of their agents, as `hive work` shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.lookup import open_tasks, snapshot
from hive.decisions.policy import Policy
from hive.decisions.rounds.needs import wanted
from hive.facts.memory import Memory, RoundMemory
from hive.facts.work import TaskKind
from hive.facts.world import World

_KINDS = (TaskKind.FIX_CI, TaskKind.ANSWER_REVIEW, TaskKind.REBASE)


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
                    "agent": known.agent,
                    "task": task.id if task is not None and is_this else None,
                    "tasks": had.count,
                    "most": policy.rounds.limit(kind),
                    "because": known.left or needs[kind],
                }
