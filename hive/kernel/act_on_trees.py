"""Working copies are made and removed beside everything else, for it may take minutes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar

from hive.decisions.trees import hindrances, losses, unsaved
from hive.errors import Missing
from hive.facts.agents import AgentSpec
from hive.facts.events import Event, IntentFinished, TreeKept, TreePrepared, TreeRemoved
from hive.facts.intents import PrepareTree, RemoveTree
from hive.facts.trees import Removal
from hive.kernel.lane import Lane
from hive.ports.trees import Trees

_DEADLINE = 1200.0
"""Seconds: longer than the port itself takes to give up."""
_AT_ONCE = 3
"""Chosen: disk and network are one for all of them."""
R = TypeVar("R")


class TreeLanes:
    """A lane for each step, so that no agent waits for another's clone but by `_AT_ONCE`."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def call(self, what: str, call: Callable[[Trees], R]) -> R:
        async with self._room:
            lane = Lane[Trees]("trees", lambda: self._trees)
            try:
                return await lane.call(what, call, _DEADLINE)
            finally:
                lane.close(0.0)


async def act_on_tree(
    intent: PrepareTree | RemoveTree, lanes: TreeLanes | None, specs: Mapping[str, AgentSpec]
) -> tuple[Event, ...]:
    """Carry it out. Raises `WorldError`."""
    spec = specs.get(intent.agent)
    if spec is None:
        raise Missing("agents", f"{intent.agent} is no longer configured")
    if lanes is None:
        raise Missing("trees", "there is no place for working copies")
    step = _prepare(intent, lanes, spec) if isinstance(intent, PrepareTree) else _remove(intent, lanes, spec)
    done = await step
    return (done, IntentFinished(intent_id=intent.id, about=intent.subject, outcome="done"))


async def _prepare(intent: PrepareTree, lanes: TreeLanes, spec: AgentSpec) -> Event:
    report = await lanes.call(
        intent.id,
        lambda trees: trees.prepare(
            spec, repo=intent.repo, name=intent.name, branch=intent.branch, base=intent.base
        ),
    )
    return TreePrepared(
        agent=intent.agent,
        task=intent.task,
        folder=report.folder,
        branch=report.branch,
        head=report.head,
        base=report.base,
        generation=intent.generation,
        notes=report.notes,
    )


async def _remove(intent: RemoveTree, lanes: TreeLanes, spec: AgentSpec) -> Event:
    def remove(trees: Trees) -> tuple[str, Removal]:
        done = trees.remove(
            spec,
            repo=intent.repo,
            name=intent.name,
            pulls=intent.pulls,
            judge=hindrances if intent.rescue else losses,
            rescue=intent.rescue,
        )
        return trees.folder(intent.agent, intent.repo, intent.name), done

    folder, done = await lanes.call(intent.id, remove)
    if done.against:
        return TreeKept(
            agent=intent.agent,
            task=intent.task,
            folder=folder,
            because="; ".join(done.against),
            unsaved=unsaved(done.seen),
        )
    return TreeRemoved(
        agent=intent.agent, task=intent.task, folder=folder, rescued=done.rescued, store=done.store
    )
