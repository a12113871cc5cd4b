"""Working copies, folded from the journal."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

from hive.facts.events import IntentFinished, TreeKept, TreePrepared, TreeReleased, TreeRemoved
from hive.facts.intents import PrepareTree, RemoveTree
from hive.facts.trees import TreeMemory

_FIRST_REST, _LONGEST_REST = timedelta(seconds=10), timedelta(minutes=10)
"""After a failure, doubled for each further one: what is in the way is the forge, the disk or the agent."""
_KEPT_REST = timedelta(minutes=30)
"""Before a tree that is kept is looked at again: only somebody's hand changes what is in it."""


def started(trees: MutableMapping[str, TreeMemory], intent: PrepareTree) -> None:
    if intent.task not in trees:
        trees[intent.task] = TreeMemory(
            agent=intent.agent, repo=intent.repo, issue=intent.issue, name=intent.name, branch=intent.branch
        )


def fold(
    trees: MutableMapping[str, TreeMemory],
    event: TreePrepared | TreeRemoved | TreeKept | TreeReleased,
    at: datetime,
) -> None:
    known = trees.get(event.task)
    if known is None:
        return
    match event:
        case TreePrepared():
            trees[event.task] = replace(
                known,
                folder=event.folder,
                generation=event.generation,
                notes=event.notes,
                failures=0,
                because="",
                rests_until=None,
                kept=None,
                released_by="",
            )
        case TreeKept():
            trees[event.task] = replace(
                known,
                folder=event.folder,
                because=event.because,
                rests_until=at + _KEPT_REST,
                kept=event.unsaved,
                released_by="",
            )
        case TreeReleased():
            trees[event.task] = replace(known, rests_until=None, released_by=event.by)
        case TreeRemoved():
            del trees[event.task]
        case _ as never:
            assert_never(never)


def finished(
    trees: MutableMapping[str, TreeMemory],
    intent: PrepareTree | RemoveTree,
    event: IntentFinished,
    at: datetime,
) -> None:
    """What failed rests; what was merely interrupted is done again at once."""
    known = trees.get(intent.task)
    if known is None or event.outcome in ("done", "undone"):
        return
    rest = min(_FIRST_REST * 2 ** min(known.failures, 16), _LONGEST_REST)
    trees[intent.task] = replace(
        known, failures=known.failures + 1, because=event.detail, rests_until=at + rest
    )
