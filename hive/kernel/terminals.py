"""The terminals that agents run in: this machine's, and one in each sandbox pod.

Each has a lane of its own, so that a pod that hangs keeps neither the others nor this machine from being
looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from hive.errors import Missing, WorldError
from hive.facts.agents import AgentSighting, AgentSpec
from hive.facts.fleet_sighting import FleetSighting, SandboxPhase, SandboxSighting
from hive.facts.world import Seen, Unseen
from hive.kernel.lane import Lane
from hive.kernel.look_at_agents import AgentWatcher

_LOOK_DEADLINE = 10.0
"""Seconds for one look at all agents of a terminal (measured: 0.05 s for 300)."""
_PATIENCE = 2.0
"""Seconds that a tick waits for a look before it goes on without."""

Sightings = Seen[tuple[AgentSighting, ...]] | Unseen
FleetSection = Seen[FleetSighting] | Unseen | None


@dataclass(frozen=True, slots=True)
class Look:
    """What the terminals showed: all sightings, and the agents of whom nothing is known."""

    agents: Sightings
    hidden: Mapping[str, str]


class Terminals:
    """Owned by the kernel's loop. `in_pod` makes the lane to a sandbox that has a pod."""

    def __init__(
        self,
        here: Lane[AgentWatcher],
        in_pod: Callable[[SandboxSighting], Lane[AgentWatcher]] | None = None,
    ) -> None:
        self._here = _Terminal(here)
        self._in_pod = in_pod
        self._pods: dict[str, _Terminal] = {}
        self._touched: dict[str, datetime] = {}
        self._ending: set[str] = set()

    def touch(self, agent: str, at: datetime) -> None:
        """Hive did, or may have done, something to the agent until `at`: a look that began before shows
        what was before, and nothing is decided on it."""
        self._touched[agent] = at

    @contextmanager
    def ending(self, agent: str, now: Callable[[], datetime]) -> Iterator[None]:
        """While hive ends the agent's programs a look shows them dead; that they crashed is not meant."""
        self._ending.add(agent)
        try:
            yield
        finally:
            self.touch(agent, now())
            self._ending.discard(agent)

    def of(self, agent: str, spec: AgentSpec | None) -> Lane[AgentWatcher]:
        """The lane to the agent's terminal. Raises `Missing` for a sandbox that has no pod now."""
        pod = self._pods.get(agent)
        if pod is not None:
            return pod.lane
        if spec is not None and spec.sandbox is not None:
            raise Missing("terminal", f"{agent} has no pod now")
        return self._here.lane

    def lanes(self) -> Iterator[Lane[AgentWatcher]]:
        yield self._here.lane
        yield from (pod.lane for pod in self._pods.values())

    async def look(
        self, specs: Mapping[str, AgentSpec], fleet: FleetSection, now: Callable[[], datetime]
    ) -> Look:
        """All terminals at once. One that takes long goes on, and this look has to do without it."""
        self._follow(specs, fleet)
        pods = list(self._pods.items())
        here, *in_pods = await asyncio.gather(
            self._here.look(specs, now), *(pod.look(specs, now) for _, pod in pods)
        )
        if isinstance(here, Unseen):
            return Look(here, {})
        hidden = _hidden(specs, fleet, self._pods)
        looks = {agent: section for (agent, _), section in zip(pods, in_pods, strict=True)}
        hidden |= {agent: one.because for agent, one in looks.items() if isinstance(one, Unseen)}
        for agent, touched in list(self._touched.items()):
            if looks.get(agent, here).at < touched:
                hidden.setdefault(agent, "hive has acted on it since it was looked at")
            else:
                del self._touched[agent]
        hidden |= dict.fromkeys(self._ending, "hive is ending it")
        own = [one for agent, section in looks.items() for one in _own(agent, section)]
        seen = [one for one in (*here.value, *own) if one.agent not in hidden]
        return Look(Seen(tuple(seen), here.at), hidden)

    def _follow(self, specs: Mapping[str, AgentSpec], fleet: FleetSection) -> None:
        """Have a lane to each pod that is there. Of an unseen fleet all stay: the pods may still answer."""
        if self._in_pod is None or not isinstance(fleet, Seen):
            return
        wanted = {
            one.agent: one
            for one in fleet.value.sandboxes
            if one.pod is not None and one.agent in specs and specs[one.agent].sandbox is not None
        }
        for agent, pod in list(self._pods.items()):
            if agent not in wanted or wanted[agent].pod_uid != pod.uid:
                del self._pods[agent]
                pod.close()
        for agent, sandbox in wanted.items():
            if agent not in self._pods:
                self._pods[agent] = _Terminal(self._in_pod(sandbox), sandbox.pod_uid)

    @property
    def is_looking(self) -> bool:
        """Whether a look is under way."""
        return any(terminal.is_looking for terminal in (self._here, *self._pods.values()))

    def cancel(self) -> None:
        """Let go of looks under way."""
        for terminal in (self._here, *self._pods.values()):
            terminal.cancel()

    def close(self, timeout: float) -> None:
        """Let go of all terminals; sessions stay."""
        for lane in self.lanes():
            lane.close(timeout)


def _own(agent: str, section: Sightings) -> Iterator[AgentSighting]:
    """Of the sessions in a pod those of its agent."""
    if isinstance(section, Seen):
        yield from (one for one in section.value if one.agent == agent)


def _hidden(
    specs: Mapping[str, AgentSpec], fleet: FleetSection, pods: Mapping[str, object]
) -> dict[str, str]:
    """Agents in pods that nobody can look at, though they may well run."""
    hidden = {}
    for spec in specs.values():
        if spec.sandbox is None or spec.name in pods:
            continue
        if isinstance(fleet, Unseen):
            hidden[spec.name] = f"the fleet: {fleet.because}"
        elif fleet is not None:
            sandbox = fleet.value.of_agent(spec.name)
            if sandbox is not None and _may_run_unseen(sandbox, fleet.value):
                hidden[spec.name] = f"its sandbox is {sandbox.phase}: {sandbox.message}"
    return hidden


def _may_run_unseen(sandbox: SandboxSighting, fleet: FleetSighting) -> bool:
    """Whether a copy of it may be at work where nobody can look: then its agent is not absent."""
    if sandbox.phase is SandboxPhase.AWAY:
        return True
    away = {one.name for one in fleet.clusters if not one.is_available}
    return sandbox.phase in (SandboxPhase.MOVING, SandboxPhase.WITHDRAWN) and sandbox.cluster in away


class _Terminal:
    """A lane, and the look in it that is under way."""

    def __init__(self, lane: Lane[AgentWatcher], uid: str = "") -> None:
        self.lane = lane
        self.uid = uid
        self._looking: asyncio.Task[Sightings] | None = None

    async def look(self, specs: Mapping[str, AgentSpec], now: Callable[[], datetime]) -> Sightings:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(specs, now()))
        await asyncio.wait({self._looking}, timeout=_PATIENCE)
        if not self._looking.done():
            # No failure yet: the lane's own deadline tells when it is one.
            return Unseen(f"no answer within {_PATIENCE:g} s", now(), is_early=True)
        looked, self._looking = self._looking, None
        return looked.result()

    async def _look(self, specs: Mapping[str, AgentSpec], at: datetime) -> Sightings:
        try:
            sightings = await self.lane.call(
                "look at agents", lambda watcher: watcher.look(specs), _LOOK_DEADLINE
            )
        except WorldError as error:
            return Unseen(str(error), at)
        return Seen(sightings, at)

    @property
    def is_looking(self) -> bool:
        return self._looking is not None

    def cancel(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def close(self) -> None:
        self.cancel()
        self.lane.close(0.0)
