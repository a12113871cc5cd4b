"""What is asked of a memory once for each item of each repository, gathered once for all of them.

Of everything that a hive ever did little is open. Going through all of it for each pull request took a
quarter of a tick after a week of twenty repositories (measured); the work grew as its square.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from hive.facts.deeds import OpenPull
from hive.facts.memory import Memory
from hive.facts.work import Task


@dataclass(frozen=True, eq=False)
class AtHand:
    """Each part is gathered when it is first asked for: a ruling of the gateway wants one of them, and the
    next ruling has another memory (measured with 3,000 pull requests: 1.0 ms in place of 9.3 ms).

    Repositories are in lower case.
    """

    memory: Memory

    @functools.cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Those that are open, in the order of the memory."""
        return tuple(task for task in self.memory.tasks.values() if task.is_open)

    @functools.cached_property
    def subjects(self) -> frozenset[tuple[str, int]]:
        """Repository and issue or pull request of each open task."""
        return frozenset((task.repo.casefold(), task.issue) for task in self.tasks)

    @functools.cached_property
    def branches(self) -> frozenset[tuple[str, str]]:
        """Repository and branch of each open task."""
        return frozenset((task.repo.casefold(), task.branch) for task in self.tasks)

    @functools.cached_property
    def pulls(self) -> Mapping[str, tuple[OpenPull, ...]]:
        """Hive's open pull requests by repository, in the order of the memory."""
        pulls: dict[str, list[OpenPull]] = {}
        for key, pull in self.memory.pulls.items():
            name, _, number = key.rpartition("#")
            if pull.state == "open" and number.isdecimal():
                found = OpenPull(name, int(number), pull.agent, pull.head_ref, pull.issue)
                pulls.setdefault(name.casefold(), []).append(found)
        return {repo: tuple(found) for repo, found in pulls.items()}

    @functools.cached_property
    def of_tasks(self) -> Mapping[tuple[str, str], tuple[int, str]]:
        """By repository and task, place and key of the first pull request that says it came out of it."""
        found: dict[tuple[str, str], tuple[int, str]] = {}
        for place, (key, pull) in enumerate(self.memory.pulls.items()):
            found.setdefault((key.rpartition("#")[0].casefold(), pull.task), (place, key))
        return found

    @functools.cached_property
    def of_branches(self) -> Mapping[tuple[str, str], tuple[int, str]]:
        """By repository and branch, place and key of the first pull request from there."""
        found: dict[tuple[str, str], tuple[int, str]] = {}
        for place, (key, pull) in enumerate(self.memory.pulls.items()):
            found.setdefault((key.rpartition("#")[0].casefold(), pull.head_ref), (place, key))
        return found


_newest = [AtHand(Memory())]
"""Of the memory that was asked last: a memory is never changed, so it is known by identity."""


def at_hand(memory: Memory) -> AtHand:
    """The same as long as `memory` is the same object."""
    known = _newest[0]
    if known.memory is not memory:
        known = _newest[0] = AtHand(memory)
    return known
