"""What became of working copies, in one sentence for a person."""

from __future__ import annotations

from typing import assert_never

from hive.facts.events import TreeKept, TreePrepared, TreeReleased, TreeRemoved
from hive.facts.intents import PrepareTree, RemoveTree


def of_tree(event: TreePrepared | TreeRemoved | TreeKept | TreeReleased) -> str:
    match event:
        case TreePrepared(agent=agent, task=task, folder=folder, branch=branch, head=head, notes=notes):
            where = f"on {branch}" if branch else "with a detached head"
            told = f"{agent} has {folder} for {task}, {where} at {head[:8]}"
            return f"{told}; {'; '.join(notes)}" if notes else told
        case TreeRemoved(agent=agent, task=task, folder=folder, rescued=rescued, store=store):
            gone = f"{folder}, the working copy of {task} of {agent}, was removed; nothing in it was lost"
            return f"{gone}; what only it had is in {store}: {', '.join(rescued)}" if rescued else gone
        case TreeKept(agent=agent, task=task, folder=folder, because=because):
            return f"{folder}, the working copy of {task} of {agent}, is kept: {because}"
        case TreeReleased(agent=agent, task=task, by=by, why=why):
            return f"{by} released the working copy of {task} of {agent}" + (f": {why}" if why else "")
        case _:
            assert_never(event)


def doing_to_tree(intent: PrepareTree | RemoveTree) -> str:
    match intent:
        case PrepareTree(agent=agent, task=task, branch=branch):
            return f"preparing the working copy of {task} for {agent}, on {branch}"
        case RemoveTree(agent=agent, task=task):
            return f"removing the working copy of {task} of {agent}, which is over"
        case _:
            assert_never(intent)
