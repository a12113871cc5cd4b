"""Working copies: one for each task of an agent, made by hive before the prompt is typed.

Imports the standard library alone: the program that works on them runs in the agent's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class TreeOrder:
    """A working copy to make, or to find again.

    Attributes:
        repo: ``OWNER/NAME``.
        name: Of its folder below ``work/OWNER/NAME`` of the agent's home (`tree_name`).
        url: Where the repository is fetched from.
        branch: The task's own; it is gone on with where it is at the forge or in a former tree of the issue.
        base: Where a new branch begins.
        quota: The most bytes that the agent's home may hold; None for no limit.
        fullest: The share of its volume, from 0 to 1, from which on no tree is made.
        is_busy: A program of the agent is at work in the tree: its locks are left.
    """

    repo: str
    name: str
    url: str
    branch: str
    base: str
    quota: int | None = None
    fullest: float = 0.95
    is_busy: bool = False


@dataclass(frozen=True, slots=True)
class TreeReport:
    """A working copy as it was made or found.

    Attributes:
        folder: Absolute path.
        head: The commit at hand.
        branch: What is checked out; empty for none (a detached head).
        base: The commit of the base, as the forge has it now.
        notes: What an agent should know of it, one sentence each.
    """

    folder: str
    head: str
    branch: str
    base: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeSighting:
    """What was found in a working copy, repositories within it included.

    Attributes:
        exists: Something is at its path.
        fault: Why it could not be looked at; nothing else is known then.
        head: Of the tree itself; empty before the first commit.
        branch: None for a detached head.
        changed: Files that differ from their commit, in the index or beside it.
        untracked: Files that no commit has and nothing ignores.
        unpushed: Commits that the forge does not have, on any branch, tag or stash.
        stashes: Entries in stashes.
        operation: A merge, rebase or the like in the midst; empty for none.
        linked: Working copies elsewhere that have their commits here.
        processes: Of the agent, that work in it.
    """

    exists: bool
    fault: str = ""
    head: str = ""
    branch: str | None = None
    changed: int = 0
    untracked: int = 0
    unpushed: int = 0
    stashes: int = 0
    operation: str = ""
    linked: int = 0
    processes: int = 0


@dataclass(frozen=True, slots=True)
class Unsaved:
    """How much only a working copy has: files, commits and stashes."""

    files: int = 0
    commits: int = 0
    stashes: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """What came of removing a working copy.

    Attributes:
        against: Why it stays; empty where it is gone.
        seen: As it was judged.
        rescued: Refs in the agent's store, by which what it alone had is to be found.
        store: Absolute path of that store.
    """

    against: tuple[str, ...]
    seen: TreeSighting
    rescued: tuple[str, ...] = ()
    store: str = ""


@dataclass(frozen=True, slots=True)
class TreeMemory:
    """What the journal says of a task's working copy.

    Attributes:
        folder: Empty until it was made.
        generation: The start of the agent for which it was made or found last.
        notes: See `TreeReport`.
        failures: In a row, of making or removing it.
        because: Why it could not be made, or is kept though its task is over.
        rests_until: Not tried again before.
        kept: What it alone has, where it stays though its task is over.
        released_by: Who wants it gone all the same, with what it has kept elsewhere.
    """

    agent: str
    repo: str
    issue: int
    name: str
    branch: str
    folder: str = ""
    generation: int = 0
    notes: tuple[str, ...] = ()
    failures: int = 0
    because: str = ""
    rests_until: datetime | None = None
    kept: Unsaved | None = None
    released_by: str = ""


def tree_name(issue: int, attempt: int) -> str:
    """The folder of a task's working copy: no two tasks share one."""
    return f"{issue}-{attempt}"
