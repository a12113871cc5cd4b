"""Agents that are at work and give no sign of it: interrupted once, restarted, relieved of the task."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentSighting, AgentState
from hive.facts.memory import Memory
from hive.facts.screens import ScreenState
from hive.facts.work import Task, TaskState
from tests.decisions.model import Model
from tests.decisions.worlds import (
    NOW,
    REPO,
    TRAITS,
    issue,
    known_agent,
    look,
    memory,
    policy,
    prompted,
    sighting,
    world,
)

NAME = "quality-1"
PATIENCE = LifecyclePolicy(hung_after=timedelta(minutes=5), rest=timedelta(hours=9))
WITH_KEYS = policy(traits={"scripted": replace(TRAITS, interrupt=("Escape",))}, lifecycle=PATIENCE)
WITHOUT = policy(lifecycle=PATIENCE)
LONG_AGO = NOW - timedelta(minutes=5)


def at_work(**changes: object) -> Task:
    return replace(prompted(), state=TaskState.WORKING, **changes)  # type: ignore[arg-type]  # the tests name fields


def silent(state: ScreenState = ScreenState.WORKING, **changes: object) -> AgentSighting:
    seen = replace(sighting(state=state), working_since=LONG_AGO)
    return replace(seen, **changes)  # type: ignore[arg-type]  # as above


def known(task: Task, state: AgentState = AgentState.WORKING) -> Memory:
    return memory({NAME: replace(known_agent(), state=state)}, task)


def intended(seen: AgentSighting, task: Task, wishes: object = WITH_KEYS) -> list[str]:
    assert wishes in (WITH_KEYS, WITHOUT)
    chosen = WITH_KEYS if wishes is WITH_KEYS else WITHOUT
    here = world(seen, repos={REPO: look([issue(7)])})
    return [one.id.partition("/")[0] for one in plan(here, known(task), chosen).intents]


def told(seen: AgentSighting, task: Task, wishes: object = WITH_KEYS) -> list[tuple[str, str]]:
    chosen = WITH_KEYS if wishes is WITH_KEYS else WITHOUT
    here = world(seen, repos={REPO: look([issue(7)])})
    events = notice(here, known(task), chosen)
    return [(one.state, one.detail) for one in events if isinstance(one, e.AgentChanged)]


def test_an_agent_at_work_without_a_sign_of_it_is_interrupted_once() -> None:
    assert intended(silent(), at_work()) == ["interrupt"]
    assert intended(silent(), at_work(interrupted_at=NOW)) == []


@pytest.mark.parametrize(
    ("seen", "task"),
    [
        (silent(working_since=LONG_AGO + timedelta(seconds=1)), at_work()),
        (silent(working_since=None), at_work()),
        (silent(ScreenState.RETRYING), at_work()),
        (silent(pane=sighting(attached=1).pane), at_work()),
        (silent(), at_work(turn="done")),
        (silent(), replace(prompted(), prompted_at=NOW)),
    ],
    ids=["a sign", "nothing known", "it tries again", "a person looks on", "it is over", "no proof yet"],
)
def test_nobody_else_is_interrupted(seen: AgentSighting, task: Task) -> None:
    assert "interrupt" not in intended(seen, task)


def test_an_agent_that_an_interrupt_does_not_end_is_hung_half_a_minute_later() -> None:
    early = at_work(interrupted_at=NOW - timedelta(seconds=29))
    late = at_work(interrupted_at=NOW - timedelta(seconds=30))
    assert told(silent(), early) == []
    assert told(silent(), late) == [
        ("hung", "no sign of work for 5m, and an interrupt did nothing"),
    ]


def test_an_agent_whose_program_has_no_key_for_it_is_hung_at_once() -> None:
    assert intended(silent(), at_work(), WITHOUT) == []
    assert told(silent(), at_work(), WITHOUT) == [("hung", "no sign of work for 5m")]


def test_a_screen_that_an_interrupt_left_and_nobody_knows_is_no_way_on() -> None:
    task = at_work(interrupted_at=NOW - timedelta(seconds=31))
    assert told(silent(ScreenState.UNKNOWN), task) == [("hung", "no way on after an interrupt")]
    assert told(silent(ScreenState.UNKNOWN), at_work()) == [("blocked", "a screen that nobody knows")]


def hang(model: Model, minutes: int) -> list[str]:
    """What is done while nobody works on, in order."""
    done: list[str] = []
    for _ in range(minutes * 12):
        done += [one.id.partition("/")[0] for one in model.tick(passes=timedelta(seconds=5))]
    assert model.problems == []
    return done


@pytest.mark.parametrize("conversations", [True, False])
def test_the_ladder_is_an_interrupt_a_restart_and_the_tasks_release(conversations: bool) -> None:
    resuming = frozenset({NAME}) if conversations else frozenset()
    model = Model(
        WITH_KEYS,
        {REPO: {7: issue(7)}},
        stubborn=frozenset({NAME}),
        with_conversations=resuming,
    )
    ladder = ["interrupt", "stop", "start", "prompt", "interrupt", "stop", "release"]
    done = hang(model, 30)
    assert done[:3] == ["start", "claim", "prompt"]
    assert done[3 : 3 + len(ladder)] == ladder
    began = [r.event.body for r in model.journal if isinstance(r.event, e.IntentStarted)]
    starts = [one for one in began if isinstance(one, i.StartAgent)]
    assert [bool(one.resume) for one in starts] == [False, conversations, False]
    assert (model.memory.issues[f"{REPO}#7"].attempts, model.memory.issues[f"{REPO}#7"].killed_agents) == (
        1,
        0,
    )


def test_an_interrupt_that_ends_the_turn_gives_the_task_back_without_a_restart() -> None:
    model = Model(WITH_KEYS, {REPO: {7: issue(7)}})
    assert hang(model, 10) == ["start", "claim", "prompt", "interrupt", "release"]
    ended = [r.event for r in model.journal if isinstance(r.event, e.TurnEnded)]
    assert [(one.outcome, one.detail) for one in ended] == [
        ("error", "it was interrupted: it gave no sign of work")
    ]


def test_a_slow_agent_is_left_alone_while_it_gives_signs() -> None:
    model = Model(WITH_KEYS, {REPO: {7: issue(7)}})
    hang(model, 1)

    for _ in range(60):
        model.sessions[NAME].since = model.now
        assert [one.id for one in model.tick(passes=timedelta(minutes=1))] == []
    assert model.memory.agents[NAME].state == AgentState.WORKING


def test_an_interrupt_that_did_not_happen_is_tried_again() -> None:
    model = Model(WITH_KEYS, {REPO: {7: issue(7)}})
    hang(model, 1)
    model.sessions[NAME].since = model.now - timedelta(minutes=6)
    (task,) = model.memory.tasks.values()
    doubtful = i.InterruptAgent(agent=NAME, task=task.id, prompt_id=task.prompt_id)
    model.record([e.IntentStarted(intent_id=doubtful.id, body=doubtful)])
    assert model.memory.tasks[task.id].interrupted_at is not None
    assert [one.id for one in model.tick()] == [doubtful.id]
