"""Prompts: typed once into each start of an agent, proved to have arrived, pressed again, given up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import LOST_TURN, AgentSighting, AgentState, Turn
from hive.facts.memory import Memory
from hive.facts.screens import ScreenState
from hive.facts.work import Task, TaskState
from tests.decisions.worlds import (
    NOW,
    REPO,
    SECOND,
    issue,
    known_agent,
    look,
    memory,
    policy,
    prompted,
    sighting,
    task,
    world,
)

A = "quality-1"


def decided(known: Memory, seen: AgentSighting) -> tuple[i.Intent, ...]:
    return plan(world(seen, repos={REPO: look([issue(7)])}), known, policy()).intents


def told(known: Memory, *seen: AgentSighting) -> list[e.Event]:
    events = notice(world(*seen, repos={REPO: look([issue(7)])}), known, policy())
    return [one for one in events if not isinstance(one, e.IssueTriaged)]


def test_a_claimed_task_is_typed_once_the_composer_is_free() -> None:
    (deliver,) = decided(memory(None, task()), sighting())
    assert isinstance(deliver, i.DeliverPrompt)
    assert (deliver.agent, deliver.task, deliver.prompt_id, deliver.generation) == (
        A,
        task().id,
        f"{task().id}/1",
        1,
    )
    assert deliver.prompt_id in deliver.text.splitlines()[0]


def test_a_prompt_lists_what_the_table_permits_its_agent() -> None:
    (deliver,) = decided(memory(None, task()), sighting())
    assert isinstance(deliver, i.DeliverPrompt)
    keys = ("mode: ", "may: ", "held for a person: ", "denied: ")
    assert [line for line in deliver.text.splitlines() if line.startswith(keys)] == [
        "mode: holdgated",
        "may: read, record-finding, file-issue, comment, label-own, close-own, push-own-branch, "
        "review-comment, request-changes",
        "held for a person: open-pr, update-own-pr",
        "denied: approve, request-merge, whatever is not named here",
    ]


@pytest.mark.parametrize(
    "seen",
    [
        sighting(state=ScreenState.WORKING),
        sighting(state=ScreenState.ASKING),
        sighting(state=ScreenState.UNKNOWN),
        sighting(alive=False),
        sighting(dead=True),
    ],
)
def test_nothing_is_typed_into_what_is_not_a_free_composer(seen: AgentSighting) -> None:
    assert [one for one in decided(memory(None, task()), seen) if isinstance(one, i.DeliverPrompt)] == []


def test_nothing_is_typed_while_the_issue_is_unseen() -> None:
    seen = world(sighting(), repos={REPO: look()})
    assert not any(
        isinstance(one, i.DeliverPrompt) for one in plan(seen, memory(None, task()), policy()).intents
    )


def test_a_prompt_is_typed_anew_into_the_program_that_follows_a_crash() -> None:
    after = memory({A: known_agent(generation=2)}, replace(prompted(), state=TaskState.WORKING))
    (deliver,) = decided(after, sighting(marks={"agent": A, "generation": "2"}))
    assert isinstance(deliver, i.DeliverPrompt)
    assert (deliver.prompt_id, deliver.generation) == (f"{task().id}/2", 2)


def test_a_prompt_that_was_typed_into_this_start_is_not_typed_again() -> None:
    for state in (TaskState.PROMPTED, TaskState.WORKING):
        assert decided(memory(None, replace(prompted(), state=state)), sighting()) == ()


def test_a_delivery_that_failed_leaves_the_task_as_it_was_claimed() -> None:
    (deliver,) = decided(memory(None, task()), sighting())
    assert isinstance(deliver, i.DeliverPrompt)
    begun = e.Record(2, NOW, 1, e.IntentStarted(intent_id=deliver.id, body=deliver))
    failed = e.IntentFinished(intent_id=deliver.id, about=A, outcome="missing")
    known = recall(memory(None, task()), [begun, e.Record(3, NOW, 1, failed)])
    assert known.tasks[task().id] == task()


# Proof of arrival.


def test_the_transcript_proves_arrival_before_any_screen_does() -> None:
    seen = sighting(turns=(Turn(prompted().prompt_id, ended=False),))
    assert told(memory(None, prompted()), seen) == [
        e.PromptArrived(agent=A, task=task().id, prompt_id=prompted().prompt_id, evidence="transcript")
    ]


def test_without_a_transcript_a_working_screen_proves_it() -> None:
    working = replace(known_agent(), state=AgentState.WORKING)
    seen = sighting(state=ScreenState.WORKING, turns=None)
    assert told(memory({A: working}, prompted()), seen) == [
        e.PromptArrived(agent=A, task=task().id, prompt_id=prompted().prompt_id, evidence="screen")
    ]


def test_with_a_transcript_a_working_screen_proves_nothing() -> None:
    working = replace(known_agent(), state=AgentState.WORKING)
    assert told(memory({A: working}, prompted()), sighting(state=ScreenState.WORKING, turns=())) == []


def test_a_turn_that_is_over_at_the_first_look_has_arrived_and_ended() -> None:
    seen = sighting(turns=(Turn(prompted().prompt_id, True, "asked", "which?"),))
    assert told(memory(None, prompted()), seen) == [
        e.PromptArrived(agent=A, task=task().id, prompt_id=prompted().prompt_id, evidence="transcript"),
        e.TurnEnded(
            agent=A, task=task().id, prompt_id=prompted().prompt_id, outcome="asked", detail="which?"
        ),
    ]


def test_a_turn_is_told_to_have_ended_once() -> None:
    over: Task = replace(prompted(), state=TaskState.WORKING, turn="done")
    assert told(memory(None, over), sighting(turns=(Turn(over.prompt_id, True, "done"),))) == []


def test_a_turn_that_went_down_with_its_program_is_no_end() -> None:
    seen = sighting(turns=(Turn(prompted().prompt_id, True, LOST_TURN),))
    assert told(memory(None, prompted()), seen) == []


def test_a_persons_own_prompt_is_none_of_ours() -> None:
    assert told(memory(None, prompted()), sighting(turns=(Turn(None, True, "done"),))) == []


# Pressing again.


def waiting(seconds: int, presses: str = "", state: ScreenState = ScreenState.READY) -> list[str]:
    known = memory(None, replace(prompted(), prompted_at=NOW - seconds * SECOND))
    marks = {"agent": A, "generation": "1", "presses": presses}
    return [one.id for one in decided(known, sighting(state=state, marks=marks))]


def test_the_keys_are_pressed_again_each_time_that_patience_ends_and_three_times_at_most() -> None:
    prefix = f"submit/{prompted().prompt_id}"
    assert waiting(9) == []
    assert waiting(10) == [f"{prefix}/1"]
    assert waiting(19, "1") == []
    assert waiting(20, "1") == [f"{prefix}/2"]
    assert waiting(30, "2") == [f"{prefix}/3"]
    assert waiting(400, "3") == []


def test_a_draft_that_stands_in_the_composer_is_submitted_and_a_question_is_not_answered() -> None:
    assert waiting(10, state=ScreenState.UNKNOWN) == [f"submit/{prompted().prompt_id}/1"]
    others = set(ScreenState) - {ScreenState.READY, ScreenState.FAILED, ScreenState.UNKNOWN}
    assert [waiting(10, state=state) for state in sorted(others)] == [[] for _ in others]


def test_an_agent_that_is_hung_is_stopped() -> None:
    known = memory(None, replace(prompted(), prompted_at=NOW - 40 * SECOND))
    seen = sighting(marks={"agent": A, "generation": "1", "presses": "3"})
    (changed,) = told(known, seen)
    assert changed == e.AgentChanged(
        agent=A, state="hung", detail="it takes no prompt: submitted 4 times without a sign"
    )
    later = recall(known, [e.Record(2, NOW, 1, changed)])
    assert [one.because for one in decided(later, seen)] == [
        "hung: it takes no prompt: submitted 4 times without a sign"
    ]
