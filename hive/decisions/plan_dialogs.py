"""Answers to boxes that hive's rules know: one for each box, and the operator is asked about all others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from hive.decisions.dialogs import box_of, choose
from hive.decisions.hands_off import is_typed_in
from hive.decisions.lookup import sightings
from hive.decisions.policy import Policy
from hive.facts.agents import AgentSighting
from hive.facts.intents import IN_TERMINAL, AnswerDialog, Intent
from hive.facts.memory import AgentMemory, Memory
from hive.facts.world import World

_PATIENCE = timedelta(seconds=15)
"""A box that still stands so long after its answer was not answered by it."""
_TRIES = 3


def dialog_intents(world: World, memory: Memory, policy: Policy) -> Iterator[Intent]:
    seen = sightings(world)
    if seen is None:
        return
    doubted = {one.agent for one in memory.in_doubt.values() if isinstance(one, IN_TERMINAL)}
    for spec in policy.agents:
        sighting = seen.get(spec.name)
        if sighting is None or spec.name in world.hidden or spec.name in doubted:
            continue
        known = memory.agents.get(spec.name, AgentMemory())
        if not sighting.alive or sighting.pane.dead or known.pause is not None or known.restart_wanted:
            continue
        if is_typed_in(sighting, policy.lifecycle, world.now):
            continue
        answer = _answer(spec.backend, sighting, known, world, policy)
        if answer is not None:
            yield answer


def _answer(
    backend: str, sighting: AgentSighting, known: AgentMemory, world: World, policy: Policy
) -> AnswerDialog | None:
    screen = sighting.screen
    box, before = box_of(screen), known.answered
    if before is not None and before.box == box:
        # The same question may well be asked anew, but not by a box that is yet to go away.
        if world.now - before.at < _PATIENCE:
            return None
        is_new = sighting.screen_since is not None and sighting.screen_since > before.at
        if before.row >= _TRIES and not is_new:
            return None
    allowed = sighting.hooks.allowed if sighting.hooks is not None else None
    found = choose(policy.dialogs_of(backend), screen, allowed=allowed)
    if found is None or screen.chosen is None:
        return None
    rule, option = found
    return AnswerDialog(
        agent=sighting.agent,
        box=box,
        option=option,
        rule=rule.name,
        number=(before.number if before is not None else 0) + 1,
        because=f"rule {rule.name}: {screen.detail}"[:300],
    )
