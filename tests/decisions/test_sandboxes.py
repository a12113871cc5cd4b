"""Agents in pods of their own: what is asked of the fleet, what waits for it, and what is known meanwhile."""

from __future__ import annotations

from dataclasses import replace

from hive.decisions.doubt import settle
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.ports_seen import port_events
from hive.decisions.recall import recall
from hive.decisions.status import Surroundings, document
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentSpec, AgentState, SandboxSpec
from hive.facts.fleet import SandboxRequest
from hive.facts.fleet_sighting import FleetSighting, SandboxPhase, SandboxSighting
from hive.facts.kubernetes import PodRef
from hive.facts.memory import AgentMemory, Memory, SandboxMemory
from hive.facts.world import Seen, Unseen, World
from tests.decisions.worlds import NOW, REPO, look, memory, policy, sighting, spec, task

A = "quality-1"
WANTED = SandboxSpec(SandboxRequest("hive", A, "cpu"), {"template": "cpu"})
REQUEST = f"hive/{A}"
RUNNING = AgentMemory(generation=1, token_digest="d", state=AgentState.WORKING)


def in_a_pod(role: str = "quality") -> AgentSpec:
    return spec(A, role, sandbox=WANTED)


def sandbox(phase: SandboxPhase = SandboxPhase.READY, **changes: object) -> SandboxSighting:
    made = SandboxSighting(
        request=REQUEST, phase=phase, since=NOW, agent=A, digest=WANTED.digest, cluster="east"
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # the tests name fields


def world(*sandboxes: SandboxSighting, **changes: object) -> World:
    made = World(NOW, Seen((), NOW), {REPO: look()}, fleet=Seen(FleetSighting(sandboxes), NOW))
    return replace(made, **changes)  # type: ignore[arg-type]  # as above


def intended(seen: World, known: Memory | None = None, *agents: AgentSpec) -> list[str]:
    return [one.id for one in plan(seen, known or Memory(), policy(*(agents or (in_a_pod(),)))).intents]


# What is asked.


def test_an_agent_that_is_to_run_in_a_pod_first_asks_for_one() -> None:
    assert intended(world()) == [f"sandbox/{A}/{WANTED.digest}"]


def test_it_is_started_once_its_pod_takes_commands_and_not_before() -> None:
    early = (SandboxPhase.PENDING, SandboxPhase.PLACED, SandboxPhase.STARTING, SandboxPhase.MOVING)
    for phase in (*early, SandboxPhase.AWAY, SandboxPhase.FAILED, SandboxPhase.WITHDRAWN):
        assert intended(world(sandbox(phase))) == []
    assert intended(world(sandbox())) == [f"start/{A}/1"]


def test_nothing_is_asked_and_nobody_started_while_the_fleet_is_unseen() -> None:
    assert intended(world(fleet=Unseen("the hub does not answer", NOW))) == []


def test_an_agent_on_this_machine_does_not_wait_for_the_fleet() -> None:
    assert intended(world(fleet=Unseen("the hub does not answer", NOW)), None, spec()) == [f"start/{A}/1"]


def test_another_sandbox_is_asked_for_when_the_configuration_changes_but_not_under_work() -> None:
    old = sandbox(digest="another")
    assert f"sandbox/{A}/{WANTED.digest}" in intended(world(old))
    busy = memory({A: RUNNING}, task())
    assert f"sandbox/{A}/{WANTED.digest}" not in intended(world(old, hidden={A: "busy"}), busy)


def test_the_sandbox_of_an_agent_that_the_configuration_no_longer_has_is_withdrawn() -> None:
    assert f"withdraw/{A}/{REQUEST}" in intended(world(sandbox()), None, spec("other"))
    assert f"withdraw/{A}/{REQUEST}" in intended(world(sandbox()), None, spec())


def test_what_hive_did_not_ask_for_is_left_alone() -> None:
    assert intended(world(sandbox(agent="")), None, spec("other")) == ["start/other/1"]


def test_the_sandbox_of_a_role_that_is_not_started_goes_when_the_agent_has_gone() -> None:
    asleep = policy(in_a_pod(role="merger"), level=1)
    assert [one.id for one in plan(world(sandbox()), Memory(), asleep).intents] == [f"withdraw/{A}/{REQUEST}"]
    running = world(sandbox(), agents=Seen((sighting(),), NOW))
    assert [type(one) for one in plan(running, Memory(), asleep).intents] == [i.StopAgent]
    hidden = world(sandbox(), hidden={A: "its pod does not answer"})
    assert plan(hidden, Memory(), asleep).intents == ()


def test_what_is_being_withdrawn_is_asked_for_again_once_it_is_gone() -> None:
    assert intended(world(sandbox(SandboxPhase.WITHDRAWN))) == []


# What is known.


def changed(seen: World, known: Memory) -> tuple[e.Event, ...]:
    return notice(seen, known, policy(in_a_pod()))


def test_each_change_of_a_sandbox_is_recorded_once_with_its_reasons() -> None:
    placed = sandbox(SandboxPhase.PENDING, cluster="", message="no cluster has room", why={"east": "not: x"})
    (event, state) = changed(world(placed), Memory())
    assert event == e.SandboxChanged(
        agent=A, phase="pending", message="no cluster has room", why=(("east", "not: x"),)
    )
    assert state == e.AgentChanged(
        agent=A, state="absent", detail="its sandbox is pending: no cluster has room"
    )
    known = recall(Memory(), [e.Record(1, NOW, 1, event), e.Record(2, NOW, 1, state)])
    assert changed(world(placed), known) == ()
    ready = sandbox(pod=PodRef("hive", "p-1"), node="n1")
    (event, *_) = changed(world(ready), known)
    assert event == e.SandboxChanged(agent=A, phase="ready", cluster="east", node="n1", pod="p-1")


def test_an_agent_whose_pod_went_away_with_it_is_not_blamed_on_its_task() -> None:
    (event,) = changed(world(sandbox(SandboxPhase.MOVING)), Memory(agents={A: RUNNING}))[1:]
    assert event == e.AgentChanged(agent=A, state="crashed", detail="its session is gone", with_terminal=True)


def test_nothing_is_said_of_an_agent_that_is_hidden() -> None:
    hidden = world(sandbox(SandboxPhase.AWAY), hidden={A: "east is away"})
    assert [type(one) for one in changed(hidden, Memory(agents={A: RUNNING}))] == [e.SandboxChanged]


# What is in doubt.


def outcome(intent: i.Intent, seen: World) -> str:
    settled = settle(seen, Memory(in_doubt={intent.id: intent}))
    return settled[0].outcome if settled else "in doubt"


def test_a_request_in_doubt_is_looked_for_on_the_hub() -> None:
    asked = i.RequestSandbox(agent=A, digest=WANTED.digest)
    assert outcome(asked, world(sandbox(SandboxPhase.PENDING))) == "done"
    assert outcome(asked, world(sandbox(digest="another"))) == "undone"
    assert outcome(asked, world()) == "undone"
    assert outcome(asked, world(fleet=Unseen("away", NOW))) == "in doubt"
    withdrawn = i.WithdrawSandbox(agent=A, request=REQUEST)
    assert outcome(withdrawn, world(sandbox())) == "undone"
    assert outcome(withdrawn, world(sandbox(SandboxPhase.WITHDRAWN))) == "done"
    assert outcome(withdrawn, world()) == "done"


# What people see.


def shown(seen: World, known: Memory) -> dict[str, object]:
    around = Surroundings(1, 1, 0.0, "/s", "tmux attach", {}, ())
    (agent,) = document(seen, known, policy(in_a_pod()), around)["agents"]
    return {key: agent[key] for key in ("state", "detail", "sandbox")}


def test_the_status_document_says_where_a_sandbox_is_and_why() -> None:
    placed = SandboxMemory("ready", NOW, "east", "n1", "p-1", "", (("east", "chosen: x"),))
    known = Memory(agents={A: AgentMemory(sandbox=placed)})
    assert shown(world(sandbox()), known)["sandbox"] == {
        "request": REQUEST,
        "phase": "ready",
        "since": "2026-11-30T12:00:00Z",
        "cluster": "east",
        "node": "n1",
        "pod": "p-1",
        "message": "",
        "why": {"east": "chosen: x"},
    }
    assert shown(world(), Memory())["sandbox"] == {"request": REQUEST, "phase": None}


def test_an_agent_that_is_hidden_is_shown_as_unseen_with_the_reason() -> None:
    hidden = shown(world(hidden={A: "east is away"}), Memory(agents={A: RUNNING}))
    assert hidden["state"] == "unseen"
    assert hidden["detail"] == "east is away"


def test_a_fleet_that_cannot_be_looked_at_is_a_port_that_fails() -> None:
    away = world(fleet=Unseen("the hub does not answer", NOW))
    assert port_events(away, Memory()) == (e.PortFailed(port="fleet", message="the hub does not answer"),)
    failing = Memory(ports={"fleet": "the hub does not answer"})
    assert port_events(world(), failing) == (e.PortRecovered(port="fleet"),)
