"""Deeds from rulings, and the past that guardrails are shown with a proposal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from hive.contracts.guardrail import Proposal
from hive.facts.autonomy import Action
from hive.facts.deeds import KEPT, Deed, Deeds, OpenPull
from hive.facts.events import RequestRuled
from hive.facts.memory import AgentMemory, Memory
from hive.facts.verdicts import Ruling

_DONE_HELD = (Action.OPEN_PR, Action.UPDATE_OWN_PR)
"""What is done also where it is held: the hold is put on the pull request."""


def after(deeds: Deeds, event: RequestRuled, at: datetime) -> Deeds:
    """`deeds` with what was ruled on `at` that time: reads and refusals are none."""
    if event.ruling == Ruling.DENY or event.action == Action.READ:
        return deeds
    recent = (*deeds.recent[-KEPT + 1 :], Deed(at, event.action, event.target))
    is_done = event.ruling == Ruling.ALLOW or event.action in _DONE_HELD
    is_new = is_done and event.action not in deeds.kinds
    return Deeds(recent, (*deeds.kinds, event.action) if is_new else deeds.kinds)


def with_past(proposal: Proposal, memory: Memory, repo: str) -> Proposal:
    """The same proposal with what hive remembers of its agent and of the repository."""
    task = memory.tasks.get(memory.agents.get(proposal.agent, AgentMemory()).task)
    is_here = task is not None and task.is_open and task.repo.casefold() == repo.casefold()
    return replace(
        proposal,
        issue=task.issue if task is not None and is_here else None,
        past=memory.deeds.get(proposal.agent, Deeds()),
        pulls=tuple(_open_pulls(memory, repo)),
    )


def _open_pulls(memory: Memory, repo: str) -> Iterator[OpenPull]:
    for key, pull in memory.pulls.items():
        name, _, number = key.rpartition("#")
        if pull.state == "open" and name.casefold() == repo.casefold() and number.isdecimal():
            yield OpenPull(name, int(number), pull.agent, pull.head_ref, pull.issue)
