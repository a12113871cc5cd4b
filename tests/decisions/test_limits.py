"""Who waits for a limited account, until when, and who is woken."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts.agents import AgentSighting, AgentState, Turn
from hive.facts.events import IntentFinished, IntentStarted, LimitSeen, ModelRefused, Record
from hive.facts.intents import ClaimWork, DeliverPrompt, Intent, PressSubmit, StopAgent
from hive.facts.memory import Memory
from hive.facts.models import ModelProblem
from hive.facts.screens import Screen, ScreenState
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
    spec,
    world,
)

MINUTE = timedelta(minutes=1)
RESET = NOW + timedelta(hours=3)
TEAM = policy(spec(), spec("quality-2"))


def limited(until: datetime | None = RESET, agent: str = "quality-1", *options: str) -> AgentSighting:
    screen = Screen(ScreenState.LIMITED, "Usage limit reached", until, options)
    failed = Turn(f"{prompted().id}/1", ended=True, outcome="error", detail="rate_limit")
    return sighting(agent, screen=screen, turns=(failed,) if agent == "quality-1" else ())


def after(known: Memory, at: datetime, *events: e.Event) -> Memory:
    return recall(known, [Record(known.seq + n, at, 0, event) for n, event in enumerate(events, 1)])


def look_at(known: Memory, at: datetime, *seen: AgentSighting, mine: Policy = TEAM) -> Memory:
    """The memory after hive looked at `at`."""
    there = world(*seen, now=at, repos={REPO: look([issue(), issue(8)])})
    return after(known, at, *notice(there, known, mine))


def planned(known: Memory, at: datetime, *seen: AgentSighting, mine: Policy = TEAM) -> tuple[Intent, ...]:
    return plan(world(*seen, now=at, repos={REPO: look([issue(), issue(8)])}), known, mine).intents


def prompts(intents: tuple[Intent, ...]) -> list[str]:
    return [one.prompt_id for one in intents if isinstance(one, DeliverPrompt)]


def arrival(prompt_id: str) -> e.PromptArrived:
    return e.PromptArrived(agent="quality-1", task=prompted().id, prompt_id=prompt_id, evidence="transcript")


@pytest.fixture
def parked() -> Memory:
    """quality-1 met the limit at its task; quality-2 is idle."""
    known = memory(
        {"quality-1": known_agent(), "quality-2": known_agent()}, replace(prompted(), prompted_at=NOW)
    )
    return look_at(known, NOW, limited(), sighting("quality-2"))


def test_the_agent_keeps_its_task_and_its_failed_turn_is_no_attempt(parked: Memory) -> None:
    task = parked.tasks[prompted().id]
    assert (task.is_open, task.turn) == (True, "")
    assert parked.agents["quality-1"].state == AgentState.LIMITED
    limit = parked.limits["scripted"]
    assert (limit.agent, limit.until, limit.retry_at) == ("quality-1", RESET, RESET + 30 * SECOND)


def test_nobody_of_the_account_gets_a_prompt_or_work_before_the_reset(parked: Memory) -> None:
    """Case 118: one meets the limit, the others are not kicked."""
    for minutes in (0, 1, 60, 150, 179):
        assert planned(parked, NOW + minutes * MINUTE, limited(), sighting("quality-2")) == ()


def test_agents_of_another_account_go_on(parked: Memory) -> None:
    mine = policy(spec(), spec("quality-2", account="other"))
    intents = planned(parked, NOW + MINUTE, limited(), sighting("quality-2"), mine=mine)
    assert [type(one) for one in intents] == [ClaimWork]


def test_waiting_is_no_part_of_the_deadline(parked: Memory) -> None:
    """The deadline is two hours, the limit three."""
    intents = planned(parked, NOW + 170 * MINUTE, limited(), sighting("quality-2"))
    assert not [one for one in intents if isinstance(one, StopAgent)]


def test_it_is_woken_once_after_the_reset_though_the_banner_still_stands(parked: Memory) -> None:
    """Case 115; the banner's clock time is read as tomorrow's by then."""
    at = RESET + MINUTE
    again = limited(RESET + timedelta(days=1))
    known = look_at(parked, at, again, sighting("quality-2"))
    (wake,) = (one for one in planned(known, at, again) if isinstance(one, DeliverPrompt))
    assert (wake.prompt_id, wake.goes_on, wake.wakes) == (f"{prompted().id}/1+1", True, 1)
    assert wake.text.startswith(f"hive task {wake.prompt_id}: go on")
    known = after(known, at, IntentStarted(intent_id=wake.id, body=wake))
    assert prompts(planned(known, at, again)) == [], "in doubt after a kill: it is looked for first"
    known = after(
        known,
        at,
        IntentFinished(intent_id=wake.id, about="quality-1", outcome="done"),
        arrival(wake.prompt_id),
    )
    for seconds in (1, 30, 59):
        then = at + seconds * SECOND
        known = look_at(known, then, again, sighting("quality-2"))
        assert planned(known, then, again, sighting("quality-2")) == ()


def test_a_waking_that_did_not_happen_is_done_after_all(parked: Memory) -> None:
    at = RESET + MINUTE
    (wake,) = (one for one in planned(parked, at, limited()) if isinstance(one, DeliverPrompt))
    known = after(
        parked,
        at,
        IntentStarted(intent_id=wake.id, body=wake),
        IntentFinished(intent_id=wake.id, about="quality-1", outcome="undone"),
    )
    assert prompts(planned(known, at + SECOND, limited())) == [f"{prompted().id}/1+2"]


def test_a_waking_that_was_pasted_and_not_sent_is_sent(parked: Memory) -> None:
    """As when hive is killed between the two: the banner still stands, so its screen is no composer's."""
    at = RESET + MINUTE
    known, there = woken(parked, at), (limited(), sighting("quality-2"))
    assert planned(known, at + 9 * SECOND, *there) == ()
    (press,) = planned(known, at + 10 * SECOND, *there)
    assert isinstance(press, PressSubmit)
    assert press.prompt_id == f"{prompted().id}/1+1"
    assert planned(after(known, at, arrival(press.prompt_id)), at + 10 * SECOND, *there) == ()


def woken(parked: Memory, at: datetime) -> Memory:
    (wake,) = (one for one in planned(parked, at, limited()) if isinstance(one, DeliverPrompt))
    return after(
        parked,
        at,
        IntentStarted(intent_id=wake.id, body=wake),
        IntentFinished(intent_id=wake.id, about="quality-1", outcome="done"),
    )


@pytest.mark.parametrize("seen", [limited(), limited(RESET, "quality-1", "Wait", "Upgrade")])
def test_nobody_is_woken_under_the_hands_of_a_person_who_types(parked: Memory, seen: AgentSighting) -> None:
    at = RESET + MINUTE
    assert [one.id.partition("/")[0] for one in planned(parked, at, seen)][:1] in (["prompt"], ["stop"])
    typed = replace(seen, pane=replace(seen.pane, typed_at=at - 59 * SECOND))
    assert not [one for one in planned(parked, at, typed) if isinstance(one, DeliverPrompt | StopAgent)]
    assert planned(parked, at + SECOND, typed)


def test_a_second_refusal_with_a_new_time_parks_it_until_then(parked: Memory) -> None:
    """Case 116."""
    at = RESET + MINUTE
    later = RESET + timedelta(hours=5)
    known = after(woken(parked, at), at, arrival(f"{prompted().id}/1+1"))
    known = look_at(known, at + 2 * MINUTE, limited(later))
    limit = known.limits["scripted"]
    assert (limit.until, limit.refusals) == (later, 2)
    assert prompts(planned(known, later, limited(later))) == []
    assert prompts(planned(known, later + MINUTE, limited(later))) == [f"{prompted().id}/1+2"]


def test_a_second_refusal_in_the_same_words_is_met_with_growing_patience(parked: Memory) -> None:
    at = RESET + MINUTE
    known = look_at(woken(parked, at), at + 2 * MINUTE, limited(RESET + timedelta(days=1)))
    limit = known.limits["scripted"]
    assert (limit.until, limit.retry_at) == (None, at + 2 * MINUTE + 10 * MINUTE)


@pytest.mark.parametrize(
    ("state", "wait"),
    [(ScreenState.LIMITED, timedelta(minutes=5)), (ScreenState.OUT_OF_CREDIT, timedelta(minutes=15))],
)
def test_without_a_known_end_it_is_tried_again_after_a_while(state: ScreenState, wait: timedelta) -> None:
    screen = sighting(screen=Screen(state, "Credit balance is too low"))
    known = look_at(memory(None, prompted()), NOW, screen)
    assert known.limits["scripted"].retry_at == NOW + wait


def test_work_that_goes_on_proves_the_end_and_the_others_get_work_again(parked: Memory) -> None:
    at = RESET + MINUTE
    known = woken(parked, at)
    works = replace(sighting(state=ScreenState.WORKING), screen_since=at + 5 * SECOND)
    known = look_at(known, at + 20 * SECOND, works, sighting("quality-2"))
    assert "scripted" in known.limits
    known = look_at(known, at + 40 * SECOND, works, sighting("quality-2"))
    assert known.limits == {}
    intents = planned(known, at + 41 * SECOND, works, sighting("quality-2"))
    assert [(type(one), one.subject) for one in intents] == [(ClaimWork, f"{REPO}#8")]


def test_a_budget_that_hive_itself_refuses_is_no_limit_of_the_account_and_is_tried_now_and_then() -> None:
    known = memory(
        {"quality-1": known_agent(), "quality-2": known_agent()}, replace(prompted(), prompted_at=NOW)
    )
    refused = ModelRefused(
        agent="quality-1",
        provider="p",
        account="scripted",
        problem=ModelProblem.OVER_BUDGET,
        detail="'opus' is spent",
    )
    known = after(known, NOW, refused)
    seen = sighting("quality-1", screen=Screen(ScreenState.OUT_OF_CREDIT, "402"), turns=())
    for minutes in (0, 1, 6, 14):
        at = NOW + minutes * MINUTE
        known = look_at(known, at, seen, sighting("quality-2"))
        assert known.limits == {}
        assert prompts(planned(known, at, seen)) == []
    assert known.agents["quality-1"].state == AgentState.OUT_OF_CREDIT
    assert prompts(planned(known, NOW + 15 * MINUTE, seen)) == [f"{prompted().id}/1+1"]


def test_a_limit_that_the_relay_heard_of_is_told_in_the_providers_words() -> None:
    refused = ModelRefused(
        agent="quality-1",
        provider="p",
        account="scripted",
        problem=ModelProblem.LIMITED,
        status=429,
        until=RESET,
        detail="429: slow down",
    )
    known = after(memory({"quality-1": known_agent()}, prompted()), NOW, refused)
    there = world(sighting("quality-1"), now=NOW, repos={REPO: look([issue()])})
    (seen,) = (one for one in notice(there, known, TEAM) if isinstance(one, LimitSeen))
    assert (seen.until, seen.detail) == (RESET, "429: slow down")


def test_a_turn_that_ended_well_after_the_waking_proves_the_end_too(parked: Memory) -> None:
    at = RESET + MINUTE
    known = after(woken(parked, at), at, arrival(f"{prompted().id}/1+1"))
    refused = Turn(f"{prompted().id}/1", ended=True, outcome="error")
    done = Turn(f"{prompted().id}/1+1", ended=True, outcome="done")
    assert known.tasks[prompted().id].prompt_id == done.prompt_id
    known = look_at(known, at + 5 * SECOND, sighting(turns=(refused,)), sighting("quality-2"))
    assert "scripted" in known.limits
    known = look_at(known, at + 6 * SECOND, sighting(turns=(refused, done)), sighting("quality-2"))
    assert known.limits == {}


def test_when_the_first_is_gone_the_others_try_after_a_while(parked: Memory) -> None:
    then = RESET + 30 * SECOND + timedelta(minutes=3)
    alone = policy(spec("quality-2"))
    assert planned(parked, then - SECOND, sighting("quality-2"), mine=alone)[:1] != ()
    claims = [
        type(one)
        for one in planned(parked, then, sighting("quality-2"), mine=alone)
        if isinstance(one, ClaimWork)
    ]
    assert claims == [ClaimWork]


def test_a_menu_about_the_limit_is_not_typed_into_but_started_anew(parked: Memory) -> None:
    menu = limited(RESET, "quality-1", "Stop and wait for limit to reset", "Switch to another plan")
    there = (menu, sighting("quality-2"))
    assert planned(parked, RESET, *there) == ()
    assert [type(one) for one in planned(parked, RESET + MINUTE, *there)] == [StopAgent]


def test_an_idle_agent_whose_limit_should_be_over_gets_work_as_its_trial() -> None:
    known = look_at(memory(), NOW, limited(), mine=policy())
    assert planned(known, NOW + MINUTE, limited(), mine=policy()) == ()
    intents = planned(known, RESET + MINUTE, limited(), mine=policy())
    assert [type(one) for one in intents] == [ClaimWork]


@given(
    st.lists(st.integers(1, 100), min_size=1, max_size=15),
    st.lists(st.booleans(), min_size=15, max_size=15),
)
def test_however_often_hive_looks_or_starts_anew_a_parked_agent_gets_nothing_before_the_reset(
    steps: list[int], redrawn: list[bool]
) -> None:
    known = look_at(memory(None, replace(prompted(), prompted_at=NOW)), NOW, limited(), mine=policy())
    at, sent = NOW, 0
    for step, is_redrawn in zip(steps, redrawn, strict=False):
        at += step * MINUTE
        until = RESET if at < RESET else RESET + timedelta(days=1)
        shown = limited(until if is_redrawn else RESET)
        known = look_at(known, at, shown, mine=policy())
        for one in planned(known, at, shown, mine=policy()):
            assert isinstance(one, DeliverPrompt)
            assert at >= known.limits["scripted"].retry_at > RESET
            known = after(
                known,
                at,
                IntentStarted(intent_id=one.id, body=one),
                IntentFinished(intent_id=one.id, about=one.agent, outcome="done"),
                arrival(one.prompt_id),
            )
            sent += 1
        assert prompts(planned(known, at, shown, mine=policy())) == []
    assert sent <= len(steps)


@pytest.mark.parametrize("stated", [NOW - MINUTE, NOW, RESET])
def test_one_refusal_is_recorded_once_though_its_time_is_over_or_not_believed(stated: datetime) -> None:
    """What is read on every look must not move the waking on."""
    known = look_at(memory(None, replace(prompted(), prompted_at=NOW)), NOW, limited(stated), mine=policy())
    for seconds in (1, 2, 60, 299):
        later = look_at(known, NOW + seconds * SECOND, limited(stated), mine=policy())
        assert later.limits == known.limits


def test_the_words_of_a_second_refusal_are_not_believed_on_the_next_look_either(parked: Memory) -> None:
    at = RESET + 3 * MINUTE
    again = limited(RESET + timedelta(days=1))
    known = look_at(woken(parked, RESET + MINUTE), at, again)
    assert look_at(known, at + SECOND, again).limits == known.limits


def test_a_screen_that_says_only_later_when_it_ends_is_believed() -> None:
    known = look_at(memory(None, replace(prompted(), prompted_at=NOW)), NOW, limited(None), mine=policy())
    known = look_at(known, NOW + SECOND, limited(RESET), mine=policy())
    assert known.limits["scripted"].until == RESET
