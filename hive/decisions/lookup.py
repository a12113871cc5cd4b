"""Finding one's way in a world: the agent's sighting, the issue of a task, the pull request of a branch."""

from __future__ import annotations

import re

from hive.decisions.at_hand import at_hand
from hive.facts.agents import AgentSighting
from hive.facts.forge import Issue, Label, PullRequest, RepositorySnapshot
from hive.facts.memory import Memory
from hive.facts.work import Task
from hive.facts.world import Seen, World


def sightings(world: World) -> dict[str, AgentSighting] | None:
    """Sightings by agent; None when the terminal could not be looked at."""
    if not isinstance(world.agents, Seen):
        return None
    return {sighting.agent: sighting for sighting in world.agents.value}


def snapshot(world: World, repo: str) -> RepositorySnapshot | None:
    """The look at a repository; None when it could not be looked at."""
    section = world.repos.get(repo)
    return section.value if isinstance(section, Seen) else None


def issue_of(world: World, repo: str, number: int) -> Issue | None:
    seen = snapshot(world, repo)
    if seen is None:
        return None
    return next((issue for issue in seen.issues if issue.number == number), None)


def pull_of(world: World, repo: str, number: int) -> PullRequest | None:
    """A pull request, open or recently ended; None when not seen."""
    seen = snapshot(world, repo)
    if seen is None:
        return None
    return next((pull for pull in (*seen.pull_requests, *seen.recent) if pull.number == number), None)


def label_of(pull: PullRequest, name: str) -> Label | None:
    """The label of that name, in any case, as GitHub compares them."""
    return next((one for one in pull.labels or () if one.name.casefold() == name.casefold()), None)


_REVERT = re.compile(r"revert-([1-9][0-9]{0,8})-hive/")
"""How GitHub names the branch of a pull request that undoes one of hive's: its number, then its branch."""


def reverted(pull: PullRequest) -> int:
    """The pull request that `pull` undoes, by the name of its branch; 0 for none."""
    found = _REVERT.match(pull.head_ref)
    return int(found[1]) if found else 0


def task_pull(memory: Memory, task: Task) -> str | None:
    """``o/r#7`` of the pull request that came out of a task."""
    known, repo = at_hand(memory), task.repo.casefold()
    found = (known.of_tasks.get((repo, task.id)), known.of_branches.get((repo, task.branch)))
    return min((one for one in found if one is not None), default=(0, None))[1]


def open_tasks(memory: Memory) -> tuple[Task, ...]:
    return at_hand(memory).tasks


def is_taken(pull: PullRequest, repo: str, memory: Memory) -> bool:
    """Whether an open task is about it already, or pushes to its branch."""
    known, name = at_hand(memory), repo.casefold()
    return (name, pull.number) in known.subjects or (name, pull.head_ref) in known.branches


def in_hand(memory: Memory) -> set[tuple[str, int]]:
    """Repository, in lower case, and number of every issue that an agent or a pull request of hive's has."""
    known = at_hand(memory)
    about = ((repo, one.issue) for repo, pulls in known.pulls.items() for one in pulls)
    return {*known.subjects, *((repo, issue) for repo, issue in about if issue is not None)}


def open_pulls(memory: Memory) -> dict[str, tuple[int, ...]]:
    """Numbers of hive's pull requests that are open as far as it knows, by repository, the oldest first."""
    found: dict[str, list[int]] = {}
    for key, pull in memory.pulls.items():
        if pull.state == "open":
            repo, number = split_key(key)
            found.setdefault(repo, []).append(number)
    return {repo: tuple(sorted(numbers)) for repo, numbers in found.items()}


def split_key(key: str) -> tuple[str, int]:
    """``o/r#7`` as repository and number."""
    repo, _, number = key.rpartition("#")
    return repo, int(number)
