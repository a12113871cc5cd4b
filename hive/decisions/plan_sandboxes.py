"""Which agents have a pod of their own: asked of the fleet, asked anew, given back."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.lookup import sightings
from hive.decisions.policy import Policy, is_started
from hive.facts.agents import AgentSpec
from hive.facts.fleet_sighting import FleetSighting, SandboxPhase, SandboxSighting
from hive.facts.intents import Intent, RequestSandbox, WithdrawSandbox
from hive.facts.memory import AgentMemory, Memory
from hive.facts.world import Seen, World


def sandbox_of(world: World, agent: str) -> SandboxSighting | None:
    """The agent's sandbox; None where it has none, or where the fleet could not be looked at."""
    return world.fleet.value.of_agent(agent) if isinstance(world.fleet, Seen) else None


def has_room(spec: AgentSpec, world: World) -> bool:
    """Whether the agent's program can be started: here, or in a pod that takes commands."""
    if spec.sandbox is None:
        return True
    sandbox = sandbox_of(world, spec.name)
    return sandbox is not None and sandbox.phase is SandboxPhase.READY


def sandbox_intents(world: World, memory: Memory, policy: Policy) -> Iterator[Intent]:
    """Requests and withdrawals. Nothing while the fleet is unseen; an agent at work keeps what it has."""
    if not isinstance(world.fleet, Seen):
        return
    fleet = world.fleet.value
    yield from _of_nobody(fleet, policy)
    for spec in policy.agents:
        sandbox = fleet.of_agent(spec.name)
        if spec.sandbox is None or (sandbox is not None and sandbox.phase is SandboxPhase.WITHDRAWN):
            continue  # what is being removed is asked for again once it is gone
        if is_started(policy, memory, spec):
            yield from _asked(spec, spec.sandbox.digest, sandbox, memory)
        elif sandbox is not None and _is_idle(spec, world, memory):
            because = f"role {spec.role} is not started at this level"
            yield WithdrawSandbox(agent=spec.name, request=sandbox.request, because=because)


def _of_nobody(fleet: FleetSighting, policy: Policy) -> Iterator[WithdrawSandbox]:
    """Sandboxes of agents that the configuration no longer has, or has without one."""
    wanted = {spec.name for spec in policy.agents if spec.sandbox is not None} | policy.retired
    for sandbox in fleet.sandboxes:
        if sandbox.agent and sandbox.agent not in wanted and sandbox.phase is not SandboxPhase.WITHDRAWN:
            because = "the configuration gives its agent no sandbox"
            yield WithdrawSandbox(agent=sandbox.agent, request=sandbox.request, because=because)


def _asked(
    spec: AgentSpec, digest: str, sandbox: SandboxSighting | None, memory: Memory
) -> Iterator[RequestSandbox]:
    if sandbox is None:
        yield RequestSandbox(agent=spec.name, digest=digest, because="it has none")
    elif sandbox.digest != digest and not _is_at_work(spec, memory):
        yield RequestSandbox(agent=spec.name, digest=digest, because="the configuration asks for another one")


def _is_at_work(spec: AgentSpec, memory: Memory) -> bool:
    task = memory.tasks.get(memory.agents.get(spec.name, AgentMemory()).task)
    return task is not None and task.is_open


def _is_idle(spec: AgentSpec, world: World, memory: Memory) -> bool:
    """Whether nothing of the agent runs: it was seen to have no session, and no task is open."""
    seen = sightings(world)
    return (
        seen is not None
        and spec.name not in seen
        and spec.name not in world.hidden
        and not _is_at_work(spec, memory)
    )
