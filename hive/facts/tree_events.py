"""Events about working copies of tasks."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent
from hive.facts.trees import Unsaved


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
    """It is gone; nothing in it was lost.

    Attributes:
        rescued: Refs in the repository `store`, by which what it alone had is to be found.
    """

    task: str
    folder: str
    rescued: tuple[str, ...] = ()
    store: str = ""


class TreeKept(AgentEvent, tag="tree-kept", frozen=True, kw_only=True):
    """Its task is over and it stays: something in it would be lost, or could not be looked at.

    Attributes:
        unsaved: What only it has, as far as that is known.
    """

    task: str
    folder: str
    because: str
    unsaved: Unsaved = Unsaved()


class TreeReleased(AgentEvent, tag="tree-released", frozen=True, kw_only=True):
    """A person wants a kept one gone: what only it has is kept in the agent's store."""

    task: str
    by: str
    why: str
