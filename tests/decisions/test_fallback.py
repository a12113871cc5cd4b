"""What an agent runs on while its account is limited, and when it comes back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.fallback import in_force, standing, wanted_choice
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.facts.agents import AgentSighting, AgentState
from hive.facts.alternatives import Alternative
from hive.facts.events import Event, IntentFinished, IntentStarted, LimitSeen, Record
from hive.facts.intents import DeliverPrompt, Intent, StartAgent, StopAgent
from hive.facts.memory import AgentMemory, Memory, Pause
from hive.facts.screens import Screen, ScreenState
from hive.facts.spending import AccountLimit
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
    spec,
    world,
)

MINUTE = timedelta(minutes=1)
OWN, SECOND_ONE, THIRD = Alternative("scripted"), Alternative("other"), Alternative("third", "small")
FALLS_BACK = spec(choices=(OWN, SECOND_ONE, THIRD))
TEAM = policy(FALLS_BACK, traits={"scripted": TRAITS, "other": TRAITS, "third": TRAITS})
REFUSES = sighting(screen=Screen(ScreenState.LIMITED, "Usage limit reached"))


def limit(minutes: int, what: str = "limited") -> AccountLimit:
    retry_at = NOW + minutes * MINUTE
    return AccountLimit("quality-1", what, NOW, retry_at, retry_at)


def at_task(state: AgentState = AgentState.LIMITED, **limits: AccountLimit) -> Memory:
    known = known_agent()
    return memory({"quality-1": replace(known, state=state)}, prompted(), limits=limits)


def idle(choice: int = 0, **limits: AccountLimit) -> Memory:
    return memory({"quality-1": known_agent(choice=choice)}, limits=limits)


def decided(known: Memory, *seen: AgentSighting, minutes: int = 0) -> list[Intent]:
    mine = in_force(TEAM, known.agents)
    there = world(*seen, now=NOW + minutes * MINUTE)
    return [one for one in plan(there, known, mine).intents if isinstance(one, StartAgent | StopAgent)]


def test_an_agent_that_is_limited_at_its_task_is_stopped_and_started_on_the_next_one() -> None:
    known = at_task(scripted=limit(60))
    (stop,) = decided(known, REFUSES)
    assert isinstance(stop, StopAgent)
    assert stop.because == "it falls back on other: scripted is limited until 2026-11-30 13:00 UTC"
    (start,) = decided(known)
    assert isinstance(start, StartAgent)
    assert (start.choice, start.generation, start.resume) == (1, 2, "")
    assert start.because == stop.because


def test_one_stopped_to_fall_back_and_seen_to_be_gone_is_not_started_on_what_is_limited() -> None:
    (start,) = decided(at_task(AgentState.ABSENT, scripted=limit(60)))
    assert isinstance(start, StartAgent)
    assert start.choice == 1


def test_one_that_is_gone_amid_a_task_stays_on_its_fallback_while_that_is_free() -> None:
    known = at_task(AgentState.ABSENT, scripted=limit(60))
    known = replace(known, agents={"quality-1": replace(known.agents["quality-1"], choice=1)})
    (start,) = decided(known, minutes=100)
    assert isinstance(start, StartAgent)
    assert start.choice == 1


def test_its_task_goes_with_it_and_is_told_anew() -> None:
    known = at_task(scripted=limit(60))
    (start,) = decided(known)
    for event in (
        IntentStarted(intent_id=start.id, body=start),
        IntentFinished(intent_id=start.id, about="quality-1", outcome="done"),
    ):
        known = recall(known, [Record(known.seq + 1, NOW, 0, event)])
    known = replace(known, agents={"quality-1": replace(known.agents["quality-1"], state=AgentState.READY)})
    mine = in_force(TEAM, known.agents)
    assert (mine.agents[0].backend, mine.agents[0].shares) == ("other", "other")
    assert standing(mine.agents[0], known) == "on other: scripted is limited until 2026-11-30 13:00 UTC"
    there = world(sighting(), repos={REPO: look([issue()])}, now=NOW + MINUTE)
    (prompt,) = plan(there, known, mine).intents
    assert isinstance(prompt, DeliverPrompt)
    assert (prompt.prompt_id, prompt.goes_on) == (f"{prompted().id}/2", False)


def test_an_idle_agent_falls_back_when_a_sibling_met_the_limit_of_their_account() -> None:
    (stop,) = decided(idle(scripted=limit(60)), sighting())
    assert isinstance(stop, StopAgent)


def test_one_at_work_is_left_alone_though_its_account_is_limited() -> None:
    assert decided(at_task(AgentState.WORKING, scripted=limit(60)), sighting()) == []


def test_out_of_credit_is_a_reason_as_well() -> None:
    known = at_task(AgentState.OUT_OF_CREDIT, scripted=limit(15, "out-of-credit"))
    (start,) = decided(known)
    assert start.because == "it falls back on other: scripted is out of credit until 2026-11-30 12:15 UTC"


def test_a_limit_that_ends_soon_is_waited_for() -> None:
    assert decided(at_task(scripted=limit(2)), REFUSES) == []


@pytest.mark.parametrize(("minutes", "expected"), [(62, []), (63, [StopAgent])])
def test_it_comes_back_when_the_limit_should_be_over_for_all(minutes: int, expected: list[type]) -> None:
    known = idle(choice=1, scripted=limit(60))
    found = decided(known, sighting(), minutes=minutes)
    assert [type(one) for one in found] == expected


def test_it_comes_back_between_tasks_only() -> None:
    known = at_task(AgentState.WORKING, scripted=limit(60))
    known = replace(known, agents={"quality-1": replace(known.agents["quality-1"], choice=1)})
    assert decided(known, sighting(), minutes=100) == []


def test_the_third_one_is_taken_where_the_second_is_limited_too() -> None:
    (start,) = decided(at_task(scripted=limit(60), other=limit(30)))
    assert isinstance(start, StartAgent)
    assert start.choice == 2


def test_where_all_are_limited_it_stays_and_waits() -> None:
    assert decided(at_task(scripted=limit(60), other=limit(30), third=limit(90)), REFUSES) == []


def test_a_paused_agent_stays_what_it_is() -> None:
    known = idle(scripted=limit(60))
    paused = replace(known.agents["quality-1"], pause=Pause("ada", "lunch", NOW))
    assert decided(replace(known, agents={"quality-1": paused}), sighting()) == []


def test_one_whose_fallback_left_the_configuration_is_started_on_its_own() -> None:
    known = idle(choice=7)
    (stop,) = decided(known, sighting())
    assert stop.because == "the configuration has no longer what it fell back on"
    (start,) = decided(known)
    assert isinstance(start, StartAgent)
    assert start.choice == 0


@pytest.mark.parametrize(("choice", "then", "resumed"), [(0, 1, ""), (1, 0, "c-1"), (1, 1, "c-1")])
def test_a_conversation_that_ended_in_a_refusal_is_not_gone_on_with_and_any_other_is(
    choice: int, then: int, resumed: str
) -> None:
    own = spec(choices=(OWN, Alternative("scripted", "small", account="scripted/small")))
    known = at_task(scripted=limit(60)) if then else at_task()
    mine = in_force(policy(own), {"quality-1": replace(known.agents["quality-1"], choice=choice)})
    task = replace(prompted(), conversation="c-1", state=known.tasks[prompted().id].state)
    known = replace(
        known,
        tasks={task.id: task},
        agents={"quality-1": replace(known.agents["quality-1"], conversation="c-1", choice=choice)},
    )
    (start,) = (one for one in plan(world(), known, mine).intents if isinstance(one, StartAgent))
    assert (start.choice, start.resume) == (then, resumed)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 40),
            st.sampled_from([None, "scripted", "other", "third"]),
            st.integers(1, 300),
            st.booleans(),
        ),
        max_size=40,
    )
)
def test_it_changes_at_most_twice_for_each_limit_that_was_met(
    history: list[tuple[int, str | None, int, bool]],
) -> None:
    """Nothing flaps, whatever limits come and go and however often hive decides."""
    at, known, mine, changes, met = NOW, memory(), TEAM, 0, 0
    for wait, account, minutes, is_busy in history:
        at += wait * MINUTE
        if account is not None:
            met += 1
            until = at + minutes * MINUTE
            known = _after(
                known,
                at,
                LimitSeen(agent="quality-1", account=account, limit="limited", until=until, retry_at=until),
            )
        state = AgentState.WORKING if is_busy else AgentState.LIMITED
        agents = {"quality-1": replace(known.agents["quality-1"], state=state)}
        known = replace(known, agents=agents)
        (now_on,) = in_force(mine, known.agents).agents
        for _ in range(3):
            choice = wanted_choice(now_on, known.agents["quality-1"], known, at)
            changes += choice != now_on.choice
            now_on = now_on.taking(choice)
            known = replace(known, agents={"quality-1": replace(known.agents["quality-1"], choice=choice)})
        assert wanted_choice(now_on, known.agents["quality-1"], known, at) == now_on.choice
    assert changes <= 2 * met


def _after(known: Memory, at: datetime, event: Event) -> Memory:
    return recall(known, [Record(known.seq + 1, at, 0, event)])


def test_an_agent_without_fallback_is_given_as_it_is() -> None:
    mine: Policy = policy()
    assert in_force(mine, {"quality-1": AgentMemory(choice=3)}) is mine
