"""A task that was interrupted goes on in its conversation, or anew; never both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.facts import intents as i
from hive.facts.work import TaskState
from tests.decisions.model import Model
from tests.decisions.worlds import REPO, SECOND, TRAITS, issue, policy, spec

NAME = "quality-1"


def at_work(**changes: object) -> Model:
    """An agent in the midst of its first task."""
    model = Model(
        policy(),
        {REPO: {7: issue(7)}},
        with_conversations=frozenset({NAME}),
        **changes,  # type: ignore[arg-type]  # the tests name fields
    )
    run(model, 10)
    assert [task.state for task in model.memory.tasks.values()] == [TaskState.WORKING]
    return model


def run(model: Model, seconds: int) -> list[i.Intent]:
    return [intent for _ in range(seconds) for intent in model.tick(passes=SECOND)]


def told(intents: list[i.Intent]) -> list[tuple[str, object]]:
    """Starts with what they resume, and prompts with whether they only go on."""
    return [
        ("start", one.resume) if isinstance(one, i.StartAgent) else ("prompt", one.goes_on)
        for one in intents
        if isinstance(one, i.StartAgent | i.DeliverPrompt)
    ]


def test_after_a_crash_the_conversation_is_resumed_by_its_id_and_told_once_to_go_on() -> None:
    model = at_work()
    model.crash(NAME)
    intents = run(model, 40)
    assert told(intents) == [("start", f"{NAME}:1"), ("prompt", True)]
    [prompt] = [one for one in intents if isinstance(one, i.DeliverPrompt)]
    [task] = model.memory.tasks.values()
    assert prompt.text.startswith(f"hive task {task.id}/2: go on with the task")
    assert task.branch in prompt.text
    assert (task.state, task.conversation) == (TaskState.WORKING, f"{NAME}:1")
    model.agent_works(NAME)
    run(model, 5)
    assert [task.outcome for task in model.memory.tasks.values()] == ["pull-request"]
    assert model.problems == []


def test_a_conversation_that_is_gone_is_not_asked_for_again_and_the_prompt_is_given_anew() -> None:
    model = at_work(forgetful=True)
    model.crash(NAME)
    assert told(run(model, 60)) == [("start", f"{NAME}:1"), ("start", ""), ("prompt", False)]
    [task] = model.memory.tasks.values()
    assert (task.state, task.conversation) == (TaskState.WORKING, f"{NAME}:3")
    assert model.problems == []


def test_a_prompt_that_was_never_seen_to_arrive_is_given_to_a_new_conversation() -> None:
    model = at_work()
    [task] = model.memory.tasks.values()
    lost = replace(task, state=TaskState.PROMPTED, conversation="")
    model.memory = replace(model.memory, tasks={task.id: lost})
    model.crash(NAME)
    model.sessions[NAME].turns.clear()
    assert told(run(model, 40)) == [("start", ""), ("prompt", False)]


def test_a_program_that_begins_another_conversation_than_it_was_asked_for_gets_the_whole_prompt() -> None:
    model = at_work()
    model.crash(NAME)
    while not any(isinstance(one, i.StartAgent) for one in model.tick(passes=SECOND)):
        pass
    model.sessions[NAME].conversation = "another"
    assert told(run(model, 20)) == [("prompt", False)]
    assert [task.conversation for task in model.memory.tasks.values()] == ["another"]


@pytest.mark.parametrize(
    "changes",
    [{"traits": {"scripted": replace(TRAITS, resumes=False)}}, {"agents": (spec(command=("own",)),)}],
    ids=["a program that cannot", "an own command"],
)
def test_what_cannot_resume_is_started_anew(changes: dict[str, object]) -> None:
    model = at_work()
    model.policy = replace(model.policy, **changes)  # type: ignore[arg-type]  # fields named above
    model.crash(NAME)
    assert told(run(model, 40)) == [("start", ""), ("prompt", False)]


def test_the_next_task_is_no_part_of_a_resumed_conversation() -> None:
    model = at_work()
    model.crash(NAME)
    run(model, 40)
    model.agent_works(NAME)
    model.issues[REPO][8] = issue(8)
    run(model, 5)
    model.crash(NAME)
    run(model, 40)
    assert model.problems == []
    assert {key[0].split("-")[0] for key in model.told} == {"t7", "t8"}
