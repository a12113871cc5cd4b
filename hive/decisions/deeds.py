"""Deeds from rulings, and the past that guardrails are shown with a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from hive.contracts.guardrail import Proposal
from hive.decisions.at_hand import at_hand
from hive.decisions.copy_on_write import CopyOnWrite
from hive.facts.autonomy import Action
from hive.facts.deeds import KEPT, Deed, Deeds, Refused
from hive.facts.events import RequestRuled, TokenRefused
from hive.facts.memory import AgentMemory, Memory
from hive.facts.verdicts import Ruling

_DONE_HELD = (Action.OPEN_PR, Action.UPDATE_OWN_PR)
"""What is done also where it is held: the hold is put on the pull request."""


_AT_ONCE = 1000
NO_CALLER = "gateway.no-caller"
"""The rule of what came with a token that is no agent's, or not this one's."""


class DeedsFold:
    """Deeds of all agents from one ruling after the other: many at once, as there may be a million."""

    def __init__(self, known: Mapping[str, Deeds]) -> None:
        self._known = CopyOnWrite(known)
        self._waiting: dict[str, list[tuple[RequestRuled, datetime]]] = {}

    def add(self, event: RequestRuled, at: datetime) -> None:
        waiting = self._waiting.setdefault(event.agent, [])
        waiting.append((event, at))
        if len(waiting) >= _AT_ONCE:
            self._take(event.agent, waiting)

    def turned_away(self, event: TokenRefused, at: datetime) -> None:
        """An agent's token was not known: none of what it asked for came so far as to be ruled on."""
        whose, _, agent = event.address.partition(" ")
        if whose == "agent" and agent:
            self._take(agent, self._waiting.get(agent, []))
            known = self._known.get(agent, Deeds())
            count = event.count + (known.refused.count if known.refused else 0)
            refused = Refused(count, NO_CALLER, "their tokens are not known to the gateway", at)
            self._known[agent] = replace(known, refused=refused)

    def deeds(self) -> Mapping[str, Deeds]:
        for agent, waiting in self._waiting.items():
            self._take(agent, waiting)
        return self._known.now

    def _take(self, agent: str, waiting: list[tuple[RequestRuled, datetime]]) -> None:
        if waiting:
            self._known[agent] = _after(self._known.get(agent, Deeds()), waiting)
            waiting.clear()


def _after(deeds: Deeds, asked: list[tuple[RequestRuled, datetime]]) -> Deeds:
    """`deeds` with what was ruled on since, each at its time: reads and refusals are none."""
    counted = [one for one in asked if one[0].ruling != Ruling.DENY and one[0].action != Action.READ]
    newest = (Deed(at, event.action, event.target) for event, at in counted[-KEPT:])
    kinds = dict.fromkeys(deeds.kinds)
    kinds |= {e.action: None for e, _ in counted if e.ruling == Ruling.ALLOW or e.action in _DONE_HELD}
    return Deeds((*deeds.recent, *newest)[-KEPT:], tuple(kinds), _refused(deeds.refused, asked))


def _refused(known: Refused | None, asked: list[tuple[RequestRuled, datetime]]) -> Refused | None:
    for event, at in asked:
        if event.ruling == Ruling.DENY:
            known = Refused(known.count + 1 if known else 1, event.rule, event.because, at)
        elif event.action != Action.READ or (known is not None and known.rule == NO_CALLER):
            known = None
    return known


def with_past(proposal: Proposal, memory: Memory, repo: str) -> Proposal:
    """The same proposal with what hive remembers of its agent and of the repository."""
    task = memory.tasks.get(memory.agents.get(proposal.agent, AgentMemory()).task)
    is_here = task is not None and task.is_open and task.repo.casefold() == repo.casefold()
    return replace(
        proposal,
        issue=(task.about_issue or None) if task is not None and is_here else None,
        past=memory.deeds.get(proposal.agent, Deeds()),
        pulls=at_hand(memory).pulls.get(repo.casefold(), ()),
    )
