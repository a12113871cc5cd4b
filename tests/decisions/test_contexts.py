"""Conversations between tasks, and those that are full."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import ContextPolicy
from tests.decisions.model import Model
from tests.decisions.worlds import (
    REPO,
    TRAITS,
    issue,
    known_agent,
    look,
    memory,
    policy,
    sighting,
    spec,
    task,
    world,
)

NAME = "quality-1"


def remembering(context: ContextPolicy = ContextPolicy.CLEAR, *, keeps: bool = True) -> Policy:
    """Of a program that has in the next task before it what was said in the last."""
    return policy(
        spec(context=context),
        traits={"scripted": replace(TRAITS, keeps_context=keeps)},
        lifecycle=LifecyclePolicy(rest=timedelta(hours=9)),
    )


def done(model: Model, ticks: int = 20) -> list[str]:
    """What is done, in order; a start with the conversation that it resumes."""
    said = []
    for _ in range(ticks):
        for one in model.tick():
            resumed = f" {one.resume}" if isinstance(one, i.StartAgent) and one.resume else ""
            said.append(one.id.partition("/")[0] + resumed)
    assert model.problems == []
    return said


def after_one_task(wishes: Policy) -> Model:
    model = Model(wishes, {REPO: {7: issue(7)}}, with_conversations=frozenset({NAME}))
    assert done(model) == ["start", "claim", "prompt"]
    model.agent_works(NAME)
    assert done(model) == ["finish"]
    return model


def test_the_next_task_gets_a_fresh_conversation_and_until_then_the_last_stays_to_be_read() -> None:
    model = after_one_task(remembering())
    model.issues[REPO][8] = issue(8)
    assert done(model) == ["claim", "stop", "start", "prompt"]
    stops = [
        r.event.body.because
        for r in model.journal
        if isinstance(r.event, e.IntentStarted) and isinstance(r.event.body, i.StopAgent)
    ]
    assert stops == ["it gets a fresh conversation for its next task"]
    assert {session for _, session in model.told} == {f"{NAME}:1", f"{NAME}:2"}


@pytest.mark.parametrize(
    "wishes",
    [remembering(ContextPolicy.KEEP), remembering(keeps=False)],
    ids=["keep", "a program that remembers nothing"],
)
def test_a_conversation_goes_on_where_it_is_to_be_kept_or_none_is(wishes: Policy) -> None:
    model = after_one_task(wishes)
    model.issues[REPO][8] = issue(8)
    assert done(model) == ["claim", "prompt"]


def test_a_conversation_that_the_program_began_itself_is_fresh() -> None:
    model = after_one_task(remembering())
    model.sessions[NAME].conversation = "cleared by a person"
    model.tick()
    model.issues[REPO][8] = issue(8)
    assert done(model) == ["claim", "prompt"]


@pytest.mark.parametrize("context", ContextPolicy)
def test_a_task_whose_conversation_is_full_begins_anew_and_is_given_back_at_the_second_time(
    context: ContextPolicy,
) -> None:
    model = Model(remembering(context), {REPO: {7: issue(7)}}, with_conversations=frozenset({NAME}))
    done(model)
    model.sessions[NAME].full = True
    assert done(model) == ["stop", "start", "prompt"]
    model.sessions[NAME].full = True
    assert done(model) == ["stop", "release", "start"]
    assert model.memory.issues[f"{REPO}#7"].killed_agents == 0


def test_a_full_conversation_without_a_task_is_left_at_once() -> None:
    model = after_one_task(remembering(ContextPolicy.KEEP))
    model.sessions[NAME].full = True
    assert done(model) == ["stop", "start"]


def test_a_full_conversation_takes_no_prompt_when_the_words_that_say_so_are_gone_from_the_screen() -> None:
    known = memory({NAME: known_agent(context_full=True)}, task())
    seen = world(sighting(), repos={REPO: look([issue(7)])})
    assert [type(one) for one in plan(seen, known, remembering()).intents] == [i.StopAgent]


def test_a_prompt_that_was_never_typed_leaves_the_conversation_fresh() -> None:
    model = Model(remembering(), {REPO: {7: issue(7)}})
    model.tick()
    while not (begun := [one for one in model.tick() if isinstance(one, i.ClaimWork)]):
        pass
    prompt = i.DeliverPrompt(
        task=begun[0].task, agent=NAME, prompt_id=f"{begun[0].task}/1", text="x", generation=1
    )
    model.record([e.IntentStarted(intent_id=prompt.id, body=prompt)])
    assert done(model) == ["prompt"]
