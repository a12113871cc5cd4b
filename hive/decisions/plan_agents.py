"""Starts and stops of agents."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from hive.decisions.contexts import spent
from hive.decisions.conversations import resumable
from hive.decisions.fallback import keeps_conversation, wanted_choice, why_changed
from hive.decisions.hands_off import is_typed_in
from hive.decisions.lifecycle import may_start
from hive.decisions.limits import PARKED, may_wake
from hive.decisions.lookup import sightings
from hive.decisions.plan_sandboxes import has_room
from hive.decisions.plan_tasks import is_overdue
from hive.decisions.policy import Policy, is_started
from hive.decisions.reconcile import incident_behind
from hive.facts.agents import AgentSighting, AgentSpec, AgentState
from hive.facts.intents import Intent, StartAgent, StopAgent
from hive.facts.memory import AgentMemory, Memory
from hive.facts.world import World

_USELESS = frozenset({AgentState.CRASHED, AgentState.FAILED_TO_START, AgentState.HUNG})


def agent_intents(world: World, memory: Memory, policy: Policy) -> Iterator[Intent]:
    """Starts, staggered by backend, and stops. Nothing while the terminal is unseen."""
    seen = sightings(world)
    if seen is None:
        return
    yield from _strangers(seen, memory, policy)
    # A start that goes on has shown no session yet; another one would take the token of the first.
    doubted = {one.agent for one in memory.in_doubt.values() if isinstance(one, StartAgent | StopAgent)}
    newest = _newest_starts(memory, policy)
    for spec in policy.agents:
        if spec.name in doubted or spec.name in world.hidden:
            continue
        known = memory.agents.get(spec.name, AgentMemory())
        sighting = seen.get(spec.name)
        if sighting is not None:
            reason = _stop_reason(spec, known, world, memory, policy) or _wake_reason(
                spec, known, sighting, world, memory, policy
            )
            if reason:
                yield _stop(spec.name, sighting, known, reason)
        elif has_room(spec, world) and _wants_start(spec, known, world.now, memory, policy):
            choice = wanted_choice(spec, known, memory, world.now)
            backend = spec.taking(choice).backend
            last = newest.get(backend)
            if last is None or world.now - last >= policy.lifecycle.stagger:
                newest[backend] = world.now
                yield _start(spec, choice, known, memory, policy)


def _start(spec: AgentSpec, choice: int, known: AgentMemory, memory: Memory, policy: Policy) -> StartAgent:
    task = memory.tasks.get(known.task)
    can_resume = policy.traits[spec.backend].resumes and not spec.command and keeps_conversation(spec, choice)
    resume = resumable(task, known) if can_resume else ""
    because = _start_reason(known) if choice == spec.choice else why_changed(spec, choice, memory)
    if resume and task is not None:
        because += f"; it goes on with {task.repo}#{task.issue}"
    return StartAgent(
        agent=spec.name, generation=known.generation + 1, resume=resume, choice=choice, because=because
    )


def _strangers(seen: dict[str, AgentSighting], memory: Memory, policy: Policy) -> Iterator[StopAgent]:
    """Sessions of agents that the configuration no longer has."""
    wanted = {spec.name for spec in policy.agents} | policy.retired
    for name, sighting in seen.items():
        if name not in wanted:
            known = memory.agents.get(name, AgentMemory())
            yield _stop(name, sighting, known, "it is no longer in the configuration")


def _stop_reason(spec: AgentSpec, known: AgentMemory, world: World, memory: Memory, policy: Policy) -> str:
    incident = incident_behind(spec.name, memory)
    if incident is not None:
        return f"incident {incident.id} at {incident.where} may be its doing"
    if known.restart_wanted:
        return "an operator asked for a restart"
    if known.state in _USELESS:
        return f"{known.state}: {known.detail}" if known.detail else known.state
    task = memory.tasks.get(known.task)
    if task is not None and is_overdue(task, world, memory, policy):
        return f"{task.repo}#{task.issue} took longer than the deadline"
    if why := spent(spec, known, task, policy.traits[spec.backend]):
        return why
    if not is_started(policy, memory, spec) and (task is None or not task.is_open):
        return f"role {spec.role} is not started at this level"
    if known.pause is not None:
        return ""
    if known.choice != spec.choice:
        return "the configuration has no longer what it fell back on"
    choice = wanted_choice(spec, known, memory, world.now)
    return why_changed(spec, choice, memory) if choice != spec.choice else ""


def _wake_reason(
    spec: AgentSpec,
    known: AgentMemory,
    sighting: AgentSighting,
    world: World,
    memory: Memory,
    policy: Policy,
) -> str:
    """A menu about a limit stays until somebody chooses; a new start is the way out of all programs. A person
    who types may be the one that chooses."""
    if is_typed_in(sighting, policy.lifecycle, world.now):
        return ""
    if known.state in PARKED and sighting.screen.options and may_wake(spec, known, memory, world.now):
        return "its account's limit should be over, and its screen asks about it"
    return ""


def _stop(name: str, sighting: AgentSighting, known: AgentMemory, reason: str) -> StopAgent:
    return StopAgent(
        agent=name,
        session=sighting.pane.name,
        generation=known.generation,
        identity=sighting.pane.identity,
        because=reason,
    )


def _wants_start(spec: AgentSpec, known: AgentMemory, now: datetime, memory: Memory, policy: Policy) -> bool:
    return (
        known.pause is None
        and incident_behind(spec.name, memory) is None
        and is_started(policy, memory, spec)
        and may_start(policy.lifecycle, known, now)
    )


def _start_reason(known: AgentMemory) -> str:
    if known.restart_wanted:
        return "an operator asked for a restart"
    if known.crashes:
        return f"again after {known.crashes} crash{'es' if known.crashes > 1 else ''} ({known.detail})"
    return "it is configured and not running"


def _newest_starts(memory: Memory, policy: Policy) -> dict[str, datetime]:
    """By backend, when an agent of it was last started."""
    newest: dict[str, datetime] = {}
    for spec in policy.agents:
        started = memory.agents.get(spec.name, AgentMemory()).started_at
        if started is not None and (spec.backend not in newest or started > newest[spec.backend]):
            newest[spec.backend] = started
    return newest
