"""Events about working copies of tasks."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent


class TreePrepared(AgentEvent, tag="tree-prepared", frozen=True, kw_only=True):
    """A task's working copy is there for the agent's start `generation`.

    Attributes:
        branch: What is checked out in it; empty for a detached head.
        head, base: Commits: at hand, and of the base at the forge.
        notes: What an agent should know of it.
    """

    task: str
    folder: str
    branch: str
    head: str
    base: str
    generation: int
    notes: tuple[str, ...] = ()


class TreeRemoved(AgentEvent, tag="tree-removed", frozen=True, kw_only=True):
    """It is gone; nothing in it was lost."""

    task: str
    folder: str


class TreeKept(AgentEvent, tag="tree-kept", frozen=True, kw_only=True):
    """Its task is over and it stays: something in it would be lost, or could not be looked at."""

    task: str
    folder: str
    because: str
