"""How often an agent is started again, and what frees one that crashed too often."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.lifecycle import LifecyclePolicy, is_parked
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentState
from hive.facts.memory import Memory
from tests.decisions.model import Model
from tests.decisions.test_starts import starts
from tests.decisions.worlds import (
    NOW,
    REPO,
    SECOND,
    TRAITS,
    issue,
    known_agent,
    look,
    memory,
    policy,
    prompted,
    sighting,
    spec,
    task,
    world,
)

QUICK = LifecyclePolicy(backoff_cap=timedelta(seconds=5), restarts=4, window=timedelta(minutes=10))
NAME = "quality-1"


def folded(*events: tuple[timedelta, e.Event]) -> Memory:
    records = [e.Record(n + 1, NOW + after, 1, event) for n, (after, event) in enumerate(events)]
    return recall(Memory(), records)


def crash(**changes: object) -> e.AgentChanged:
    return e.AgentChanged(agent=NAME, state="crashed", detail="exited with status 1", **changes)  # type: ignore[arg-type]  # the tests name fields


def ready() -> e.AgentChanged:
    return e.AgentChanged(agent=NAME, state="ready")


def crashed_at(*minutes: float, between: tuple[e.Event, ...] = ()) -> Memory:
    events: list[tuple[timedelta, e.Event]] = []
    for minute in minutes:
        at = timedelta(minutes=minute)
        events += [(at, ready()), (at, crash()), *((at, one) for one in between)]
    return folded(*events)


def test_an_agent_that_crashed_too_often_within_the_window_waits_for_a_person() -> None:
    model = Model(policy(lifecycle=QUICK), {}, stillborn=frozenset({NAME}))
    assert len(starts(model, seconds=3600)) == QUICK.restarts
    known = model.memory.agents[NAME]
    assert (known.state, known.detail) == (
        AgentState.FAILED_TO_START,
        "exited with status 1 (parked after 4 crashes within 10m without proven work; "
        "`hive restart` frees it)",
    )
    model.stillborn = frozenset()
    model.record([e.RestartRequested(agent=NAME, by="ada")])
    assert starts(model, seconds=30) == [0]
    assert model.memory.agents[NAME].state == AgentState.READY


@pytest.mark.parametrize(("minutes", "parked"), [((0, 3, 6, 9), True), ((0, 3, 6, 11), False)])
def test_crashes_count_over_the_window_and_time_alone_frees_nobody(
    minutes: tuple[int, ...], parked: bool
) -> None:
    known = crashed_at(*minutes).agents[NAME]
    assert is_parked(QUICK, known) is parked
    late = world(now=NOW + timedelta(days=30))
    begun = plan(late, memory({NAME: known}), policy(lifecycle=QUICK)).intents
    assert [type(one) for one in begun] == ([] if parked else [i.StartAgent])


@pytest.mark.parametrize(
    ("event", "left"),
    [
        (e.TurnEnded(agent=NAME, task="t", prompt_id="t/1", outcome="done"), 0),
        (e.TurnEnded(agent=NAME, task="t", prompt_id="t/1", outcome="asked"), 0),
        (e.TurnEnded(agent=NAME, task="t", prompt_id="t/1", outcome="error"), 3),
        (e.PromptArrived(agent=NAME, task="t", prompt_id="t/1", evidence="screen"), 3),
        (ready(), 3),
        (e.AgentPaused(agent=NAME, by="ada"), 3),
    ],
    ids=["done", "asked", "error", "a prompt", "ready", "a pause"],
)
def test_only_proven_work_resets_the_count(event: e.Event, left: int) -> None:
    known = crashed_at(0, 1, 2)
    after = recall(known, [e.Record(known.seq + 1, NOW + timedelta(minutes=3), 1, event)])
    assert len(after.agents[NAME].crash_times) == left


def test_a_program_that_is_not_installed_is_said_so_and_looked_for_once_a_minute() -> None:
    model = Model(
        policy(traits={"scripted": replace(TRAITS, install="pipx install scripted")}, lifecycle=QUICK),
        {},
        stillborn=frozenset({NAME}),
        exit_status=127,
    )
    begun = starts(model, seconds=620)
    assert all(60 <= later - earlier <= 63 for earlier, later in pairwise(begun)), begun
    assert len(begun) >= 9
    known = model.memory.agents[NAME]
    assert (known.state, known.detail, known.crash_times) == (
        AgentState.FAILED_TO_START,
        "scripted, or what it runs on, is not installed (exited with status 127): pipx install scripted",
        (),
    )
    model.stillborn = frozenset()
    starts(model, seconds=70)
    assert model.memory.agents[NAME].state == AgentState.READY


def test_a_program_of_the_operators_own_that_is_missing_is_named_as_it_was_written() -> None:
    own = policy(spec(command=("/opt/agent", "-x")))
    seen = world(sighting(dead=True, exit_status=126))
    assert [one.detail for one in notice(seen, memory(), own) if isinstance(one, e.AgentChanged)] == [
        "/opt/agent, or what it runs on, is not installed (exited with status 126): install /opt/agent"
    ]


def test_a_terminal_that_went_down_with_all_its_sessions_is_no_agents_crash_and_no_tasks() -> None:
    both = policy(spec("a"), spec("b"), lifecycle=replace(QUICK, killed_agents=1))
    held = replace(prompted(), agent="a")
    known = memory({"a": known_agent(), "b": known_agent()}, held)
    events = notice(world(), known, both)
    lost = [one for one in events if isinstance(one, e.AgentChanged)]
    assert [(one.agent, one.state, one.shared) for one in lost] == [
        ("a", "crashed", True),
        ("b", "crashed", True),
    ]
    after = recall(known, [e.Record(n + 2, NOW, 1, one) for n, one in enumerate(events)])
    assert [after.agents[name].crash_times for name in "ab"] == [(), ()]
    assert f"{REPO}#7" not in after.issues
    assert plan(world(), after, both).intents == (), "what may fail at once again waits a little"


def test_one_session_of_several_that_is_gone_is_its_agents_own_crash() -> None:
    both = policy(spec("a"), spec("b"))
    known = memory({"a": known_agent(), "b": known_agent()})
    lost = [one for one in notice(world(sighting("b")), known, both) if isinstance(one, e.AgentChanged)]
    assert [(one.agent, one.with_terminal, one.shared) for one in lost] == [("a", True, False)]


def test_the_task_of_an_agent_that_waits_for_a_person_is_given_back() -> None:
    held = replace(task(), agent=NAME)
    parked = replace(known_agent(), state=AgentState.CRASHED, crash_times=(NOW,) * 4)
    intents = plan(
        world(repos={REPO: look([issue()])}), memory({NAME: parked}, held), policy(lifecycle=QUICK)
    ).intents
    assert [(type(one), one.because) for one in intents] == [
        (i.ReleaseTask, "its agent crashed too often and waits for a person")
    ]


MOMENTS = st.sampled_from(["crash", "ready", "done", "error", "wait"])


@given(st.lists(st.tuples(MOMENTS, st.integers(0, 400)), max_size=40), st.integers(1, 6))
def test_starts_are_bounded_in_any_window_whatever_happens_but_proven_work(
    steps: list[tuple[str, int]], most: int
) -> None:
    """Between two proofs of work, any window holds at most `most` crashes."""
    limits = replace(QUICK, restarts=most)
    known, at = Memory(), NOW
    crashes: list[datetime] = []
    for number, (what, seconds) in enumerate(steps):
        at += seconds * SECOND
        if what == "crash":
            begun = plan(world(now=at), known, policy(lifecycle=limits)).intents
            if not any(isinstance(one, i.StartAgent) for one in begun):
                continue
            crashes.append(at)
        if what == "done":
            crashes.clear()
        known = recall(known, [e.Record(number + 1, at, 1, one) for one in _told(what)])
        assert all(
            sum(timedelta() <= other - first <= limits.window for other in crashes) <= most
            for first in crashes
        )


def _told(what: str) -> list[e.Event]:
    match what:
        case "crash":
            return [ready(), crash()]
        case "ready":
            return [ready()]
        case "done" | "error":
            return [e.TurnEnded(agent=NAME, task="t", prompt_id="t/1", outcome=what)]
    return []
