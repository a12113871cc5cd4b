"""What is asked of a memory once for each item of each repository, gathered once for all of them.

Of everything that a hive ever did little is open. Going through all of it for each pull request took a
quarter of a tick after a week of twenty repositories (measured); the work grew as its square.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive.facts.deeds import OpenPull
from hive.facts.memory import Memory
from hive.facts.work import Task


@dataclass(frozen=True, slots=True)
class AtHand:
    """Repositories are in lower case.

    Attributes:
        tasks: Those that are open, in the order of the memory.
        subjects: Repository and issue or pull request of each of them.
        branches: Repository and branch of each of them.
        pulls: Hive's open pull requests by repository, in the order of the memory.
        of_tasks: By repository and task, place and key of the first pull request that says it came out of it.
        of_branches: By repository and branch, place and key of the first pull request from there.
    """

    memory: Memory
    tasks: tuple[Task, ...]
    subjects: frozenset[tuple[str, int]]
    branches: frozenset[tuple[str, str]]
    pulls: Mapping[str, tuple[OpenPull, ...]]
    of_tasks: Mapping[tuple[str, str], tuple[int, str]]
    of_branches: Mapping[tuple[str, str], tuple[int, str]]


_newest: dict[str, AtHand] = {}
"""Of the memory that was asked last, under one key: a memory is never changed, so it is known by identity."""


def at_hand(memory: Memory) -> AtHand:
    """The same as long as `memory` is the same object."""
    known = _newest.get("")
    if known is None or known.memory is not memory:
        known = _newest[""] = _gathered(memory)
    return known


def _gathered(memory: Memory) -> AtHand:
    tasks = tuple(task for task in memory.tasks.values() if task.is_open)
    pulls: dict[str, list[OpenPull]] = {}
    of_tasks: dict[tuple[str, str], tuple[int, str]] = {}
    of_branches: dict[tuple[str, str], tuple[int, str]] = {}
    for place, (key, pull) in enumerate(memory.pulls.items()):
        name, _, number = key.rpartition("#")
        repo = name.casefold()
        of_tasks.setdefault((repo, pull.task), (place, key))
        of_branches.setdefault((repo, pull.head_ref), (place, key))
        if pull.state == "open" and number.isdecimal():
            found = OpenPull(name, int(number), pull.agent, pull.head_ref, pull.issue)
            pulls.setdefault(repo, []).append(found)
    return AtHand(
        memory,
        tasks,
        frozenset((task.repo.casefold(), task.issue) for task in tasks),
        frozenset((task.repo.casefold(), task.branch) for task in tasks),
        {repo: tuple(found) for repo, found in pulls.items()},
        of_tasks,
        of_branches,
    )
