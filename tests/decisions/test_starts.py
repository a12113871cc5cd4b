"""When agents are started and stopped, over a small world that answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hive.decisions.plan import plan
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentState
from hive.facts.memory import Pause
from tests.decisions.model import Model
from tests.decisions.worlds import (
    NOW,
    REPO,
    SECOND,
    issue,
    known_agent,
    memory,
    policy,
    prompted,
    sighting,
    spec,
    world,
)


def starts(model: Model, *, seconds: int) -> list[int]:
    """Seconds at which agents were started."""
    begun = model.now
    found: list[int] = []
    while model.now - begun < timedelta(seconds=seconds):
        at = int((model.now - begun).total_seconds())
        found += [at for intent in model.tick(passes=SECOND) if isinstance(intent, i.StartAgent)]
    return found


def test_an_agent_that_ends_as_soon_as_it_is_started_is_started_ever_more_rarely() -> None:
    model = Model(policy(), {}, stillborn=frozenset({"quality-1"}))
    assert starts(model, seconds=200) == [0, 6, 17, 38, 79, 160]
    known = model.memory.agents["quality-1"]
    assert (known.crashes, known.state, known.detail) == (
        6,
        AgentState.FAILED_TO_START,
        "exited with status 1",
    )


def test_a_start_that_came_to_an_end_counts_from_what_was_observed() -> None:
    model = Model(policy(), {}, stillborn=frozenset({"quality-1"}))
    starts(model, seconds=20)
    model.stillborn = frozenset()
    starts(model, seconds=60)
    assert model.memory.agents["quality-1"].state == AgentState.READY


def test_agents_of_one_backend_are_started_a_second_apart() -> None:
    model = Model(policy(spec("a"), spec("b"), spec("c")), {})
    assert starts(model, seconds=6) == [0, 1, 2]


def test_an_agent_that_takes_no_prompt_is_hung_and_its_issue_left_to_people() -> None:
    model = Model(policy(), {REPO: {7: issue(7)}}, deaf=frozenset({"quality-1"}))
    begun = starts(model, seconds=400)
    assert len(begun) == 3
    assert model.memory.issues[f"{REPO}#7"].last_outcome == "quarantined"
    hung = [
        r.event.detail
        for r in model.journal
        if isinstance(r.event, e.AgentChanged) and r.event.state == "hung"
    ]
    assert hung == ["it takes no prompt: submitted 4 times without a sign"] * 2


def test_a_deliberate_pause_starts_nothing_and_a_resumed_agent_starts_at_once() -> None:
    model = Model(policy(), {})
    model.record([e.AgentPaused(agent="quality-1", by="ada", why="lunch")])
    assert starts(model, seconds=10) == []
    assert model.memory.agents["quality-1"].state == AgentState.PAUSED
    model.record([e.AgentResumed(agent="quality-1", by="ada")])
    assert starts(model, seconds=5) == [0]


def test_a_restart_that_was_asked_for_ends_the_session_and_starts_the_next_generation() -> None:
    model = Model(policy(), {})
    starts(model, seconds=10)
    model.record([e.RestartRequested(agent="quality-1", by="ada")])
    assert [one.id for one in model.tick()] == [f"stop/quality-1/1/{sighting().pane.name}"]
    assert [one.id for one in model.tick()] == ["start/quality-1/2"]
    assert model.memory.agents["quality-1"].restart_wanted is False


def test_a_role_that_the_level_does_not_start_is_stopped_once_it_has_no_task() -> None:
    low = policy(level=1)
    ready = world(sighting())
    stopped = plan(ready, memory(), low).intents
    assert [(one.id.partition("/")[0], one.because) for one in stopped] == [
        ("stop", "role quality is not started at this level")
    ]
    assert plan(ready, memory(None, prompted()), low).intents == ()


def test_a_session_of_an_agent_that_is_no_longer_configured_is_stopped() -> None:
    stopped = plan(world(sighting("gone")), memory({}), policy(level=1)).intents
    assert [(one.subject, one.because) for one in stopped] == [
        ("gone", "it is no longer in the configuration")
    ]


def test_an_agent_whose_configuration_is_wrong_is_left_alone() -> None:
    kept = policy(level=1, retired=frozenset({"broken"}))
    assert plan(world(sighting("broken")), memory({}), kept).intents == ()


def test_a_paused_agent_that_crashed_is_stopped_and_not_started_again() -> None:
    paused = known_agent(pause=Pause("ada", "", NOW))
    crashed = replace(paused, state=AgentState.CRASHED)
    assert [
        type(one)
        for one in plan(world(sighting(dead=True)), memory({"quality-1": crashed}), policy()).intents
    ] == [i.StopAgent]
    assert plan(world(), memory({"quality-1": crashed}), policy()).intents == ()
