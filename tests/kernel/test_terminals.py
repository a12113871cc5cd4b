"""Each pod's terminal is looked at beside this machine's, in a lane of its own."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from hive.errors import Missing, Unreachable
from hive.facts.agents import AgentSighting, AgentSpec, SandboxSpec, session_name
from hive.facts.fleet import SandboxRequest
from hive.facts.fleet_sighting import ClusterSighting, FleetSighting, SandboxPhase, SandboxSighting
from hive.facts.kubernetes import PodRef
from hive.facts.world import Seen, Unseen
from hive.kernel import terminals as terminals_module
from hive.kernel.lane import Lane
from hive.kernel.look_at_agents import AgentWatcher
from hive.kernel.terminals import Look, Terminals
from hive.ports.terminal import SessionOrder
from hive.shells.system.transcripts import FileTranscripts
from tests.decisions.worlds import NOW, spec
from tests.fakes.clock import FakeClock
from tests.fakes.terminal import FakeTerminal
from tests.kernel.house import BACKENDS, Chat

HERE, EAST, WEST = "here", "east-1", "west-1"


def in_a_pod(name: str) -> AgentSpec:
    return spec(name, sandbox=SandboxSpec(SandboxRequest("hive", name, "cpu"), {"template": "cpu"}))


SPECS = {HERE: spec(HERE), EAST: in_a_pod(EAST), WEST: in_a_pod(WEST)}


def sandbox(agent: str, phase: SandboxPhase = SandboxPhase.READY, uid: str = "u1") -> SandboxSighting:
    pod = PodRef("hive", f"{agent}-{uid}") if phase in (SandboxPhase.READY, SandboxPhase.STARTING) else None
    made = SandboxSighting(f"hive/{agent}", phase, NOW, agent=agent, pod=pod)
    return replace(made, pod_uid=uid if pod else "", message="east does not answer")


@dataclass
class Rig:
    """Terminals over fakes: one here, and one for each pod that was asked for."""

    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW))
    pods: dict[str, FakeTerminal] = field(default_factory=dict)
    closed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.here = self._terminal()
        self.terminals = Terminals(self._lane("terminal", self.here), self._in_pod)

    def _terminal(self) -> FakeTerminal:
        return FakeTerminal(lambda order: Chat(), now=self.clock.now)

    def _in_pod(self, seen: SandboxSighting) -> Lane[AgentWatcher]:
        key = f"{seen.agent}/{seen.pod_uid}"
        terminal = self.pods.setdefault(key, self._terminal())
        return self._lane(key, terminal)

    def _lane(self, name: str, terminal: FakeTerminal) -> Lane[AgentWatcher]:
        def build() -> AgentWatcher:
            return AgentWatcher(
                terminal,
                terminal,
                FileTranscripts(Path("/nowhere")),
                BACKENDS,
                lambda agent: "/nowhere",
                self.clock.now,
            )

        return Lane(name, build, close=lambda watcher: self.closed.append(name))

    async def look(self, *sandboxes: SandboxSighting, unseen: str = "") -> Look:
        fleet = Unseen(unseen, NOW) if unseen else Seen(FleetSighting(sandboxes), NOW)
        return await self.terminals.look(SPECS, fleet, self.clock.now)

    def start(self, terminal: FakeTerminal, agent: str) -> None:
        order = SessionOrder(session_name(agent), ("agent",), {}, "/", marks={"agent": agent})
        terminal.create(order)


@asynccontextmanager
async def rig() -> AsyncIterator[Rig]:
    made = Rig()
    yield made
    made.terminals.cancel()
    made.terminals.close(1.0)


def names(look: Look) -> list[str]:
    assert isinstance(look.agents, Seen)
    return sorted(one.agent for one in look.agents.value)


async def test_agents_here_and_in_pods_are_seen_in_one_look() -> None:
    async with rig() as our:
        assert names(await our.look(sandbox(EAST), sandbox(WEST))) == []
        our.start(our.here, HERE)
        our.start(our.pods[f"{EAST}/u1"], EAST)
        our.start(our.pods[f"{WEST}/u1"], WEST)
        look = await our.look(sandbox(EAST), sandbox(WEST))
        assert names(look) == [EAST, HERE, WEST]
        assert look.hidden == {}


async def test_a_pod_that_hangs_hides_its_own_agent_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals_module, "_PATIENCE", 0.1)
    wedge = threading.Event()
    async with rig() as our:
        await our.look(sandbox(EAST), sandbox(WEST))
        our.start(our.here, HERE)
        our.start(our.pods[f"{WEST}/u1"], WEST)
        monkeypatch.setattr(our.pods[f"{EAST}/u1"], "look", lambda: wedge.wait(20))
        look = await our.look(sandbox(EAST), sandbox(WEST))
        assert names(look) == [HERE, WEST]
        assert look.hidden == {EAST: "no answer within 0.1 s"}
        wedge.set()


async def test_a_pod_that_fails_says_why_its_agent_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> tuple[AgentSighting, ...]:
        raise Unreachable("terminal", "the stream broke")

    async with rig() as our:
        await our.look(sandbox(EAST))
        monkeypatch.setattr(our.pods[f"{EAST}/u1"], "look", fail)
        assert (await our.look(sandbox(EAST))).hidden == {EAST: "terminal: the stream broke"}


async def test_of_an_unseen_fleet_the_pods_that_were_known_are_still_looked_at() -> None:
    async with rig() as our:
        await our.look(sandbox(EAST))
        our.start(our.pods[f"{EAST}/u1"], EAST)
        look = await our.look(unseen="the hub does not answer")
        assert names(look) == [EAST]
        assert look.hidden == {WEST: "the fleet: the hub does not answer"}


async def test_an_agent_on_a_cluster_that_is_away_is_hidden_and_one_without_a_pod_is_not() -> None:
    async with rig() as our:
        look = await our.look(sandbox(EAST, SandboxPhase.AWAY), sandbox(WEST, SandboxPhase.PENDING))
        assert look.hidden == {EAST: "its sandbox is away: east does not answer"}


async def test_an_agent_that_moves_away_from_where_nobody_can_look_may_still_be_at_work_there() -> None:
    async with rig() as our:
        going = [replace(sandbox(name, SandboxPhase.MOVING), cluster=name) for name in (EAST, WEST)]
        clusters = (ClusterSighting(EAST, False, NOW, "no answer"), ClusterSighting(WEST, True, NOW))
        fleet = FleetSighting(tuple(going), clusters)
        look = await our.terminals.look(SPECS, Seen(fleet, NOW), our.clock.now)
        assert look.hidden == {EAST: "its sandbox is moving: east does not answer"}


async def test_another_pod_gets_another_lane_and_the_old_one_ends() -> None:
    async with rig() as our:
        await our.look(sandbox(EAST, uid="u1"))
        await our.look(sandbox(EAST, uid="u2"))
        assert sorted(our.pods) == [f"{EAST}/u1", f"{EAST}/u2"]
        assert [lane.name for lane in our.terminals.lanes()] == ["terminal", f"{EAST}/u2"]
        await our.look(sandbox(EAST, SandboxPhase.MOVING))
        assert [lane.name for lane in our.terminals.lanes()] == ["terminal"]


async def test_what_is_done_to_an_agent_goes_to_its_own_terminal() -> None:
    async with rig() as our:
        await our.look(sandbox(EAST))
        assert our.terminals.of(EAST, SPECS[EAST]).name == f"{EAST}/u1"
        assert our.terminals.of(HERE, SPECS[HERE]).name == "terminal"
        assert our.terminals.of("gone", None).name == "terminal"
        with pytest.raises(Missing, match="west-1 has no pod now"):
            our.terminals.of(WEST, SPECS[WEST])


async def test_the_session_of_another_agent_in_a_pod_counts_for_nothing() -> None:
    async with rig() as our:
        await our.look(sandbox(EAST))
        our.start(our.pods[f"{EAST}/u1"], HERE)
        assert names(await our.look(sandbox(EAST))) == []


async def test_what_was_seen_before_hive_acted_on_an_agent_is_not_decided_on() -> None:
    async with rig() as our:
        await our.look(sandbox(EAST), sandbox(WEST))
        our.start(our.here, HERE)
        our.start(our.pods[f"{EAST}/u1"], EAST)
        later = our.clock.now() + timedelta(milliseconds=1)
        our.terminals.touch(EAST, later)
        our.terminals.touch(HERE, later)
        look = await our.look(sandbox(EAST))
        assert names(look) == []
        assert sorted(look.hidden) == [EAST, HERE]
        our.clock.advance(timedelta(seconds=1))
        look = await our.look(sandbox(EAST))
        assert names(look) == [EAST, HERE]
        assert look.hidden == {}
