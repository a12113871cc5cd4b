"""What state an agent is in: what was seen of it, whatever was asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.agent_state import observed_state, puzzled_for, takes_no_prompt
from hive.facts.agents import AgentSighting, AgentState, Turn
from hive.facts.memory import AgentMemory
from hive.facts.screens import Screen, ScreenState
from hive.facts.work import Task
from tests.decisions.worlds import NOW, SECOND, TRAITS, known_agent, prompted, sighting, world


def state(seen: AgentSighting, known: AgentMemory | None = None) -> tuple[AgentState, str]:
    return observed_state(seen, known or known_agent(), TRAITS, NOW)


def test_a_dead_pane_is_a_crash_with_its_exit_status() -> None:
    assert state(sighting(dead=True, exit_status=3)) == (AgentState.CRASHED, "exited with status 3")


def test_an_agent_killed_by_a_signal_says_which() -> None:
    assert state(sighting(dead=True, exit_signal=9)) == (
        AgentState.CRASHED,
        "killed by signal 9, and not by hive",
    )


@pytest.mark.parametrize("before", ["absent", "starting", "failed-to-start", "not-started"])
def test_an_end_before_the_first_prompt_is_a_start_that_failed(before: str) -> None:
    known = replace(known_agent(), state=before)
    assert state(sighting(dead=True, exit_status=127), known) == (
        AgentState.FAILED_TO_START,
        "exited with status 127",
    )


def test_a_living_pane_without_the_agents_process_is_a_crash_whatever_its_screen_says() -> None:
    assert state(sighting(alive=False)) == (
        AgentState.CRASHED,
        "its process is gone; nothing is typed into what is left",
    )


def test_a_session_has_three_seconds_until_its_program_shows() -> None:
    young = sighting(alive=False, created_at=NOW - 2 * SECOND)
    assert state(young) == (AgentState.STARTING, "")
    assert state(sighting(alive=False, created_at=NOW - 3 * SECOND))[0] is AgentState.CRASHED


def test_a_start_that_hangs_has_failed_once_its_patience_is_over() -> None:
    patient = sighting(state=ScreenState.STARTING, created_at=NOW - 59 * SECOND)
    assert state(patient) == (AgentState.STARTING, "")
    hung = sighting(state=ScreenState.STARTING, created_at=NOW - 60 * SECOND)
    assert state(hung) == (AgentState.FAILED_TO_START, "no prompt within 60 s")


@pytest.mark.parametrize("screen", [ScreenState.WORKING, ScreenState.READY])
def test_seconds_that_a_spinner_counts_are_no_change(screen: ScreenState) -> None:
    seen = [sighting(screen=Screen(screen, f"Thinking… ({seconds}s)")) for seconds in (3, 4)]
    assert state(seen[0]) == state(seen[1]) == (AgentState(screen.value), "")


@pytest.mark.parametrize(
    ("screen", "expected"),
    [
        (ScreenState.RETRYING, AgentState.WORKING),
        (ScreenState.COMPACTING, AgentState.WORKING),
        (ScreenState.ASKING, AgentState.ASKING),
        (ScreenState.LOGGED_OUT, AgentState.LOGGED_OUT),
        (ScreenState.LIMITED, AgentState.LIMITED),
        (ScreenState.OUT_OF_CREDIT, AgentState.OUT_OF_CREDIT),
        (ScreenState.CONTEXT_FULL, AgentState.CONTEXT_FULL),
        (ScreenState.FAILED, AgentState.FAILED),
    ],
)
def test_a_screen_that_is_known_is_the_state_with_its_detail(
    screen: ScreenState, expected: AgentState
) -> None:
    assert state(sighting(screen=Screen(screen, "detail"))) == (expected, "detail")


@pytest.mark.parametrize("screen", [ScreenState.COMPACTING, ScreenState.WORKING, ScreenState.READY])
@pytest.mark.parametrize(
    ("minutes", "full"),
    [
        ((1, 2, 3, 4, 14), True),
        ((0,) * 10, True),
        ((1, 2, 3, 4), False),
        ((1, 2, 3, 4, 15), False),
        ((20, 30, 40, 50, 60), False),
        ((), False),
    ],
)
def test_compacting_again_and_again_is_a_full_context(
    screen: ScreenState, minutes: tuple[int, ...], full: bool
) -> None:
    """Case 119: it alternates between making room and going on; a fresh conversation ends that."""
    times = tuple(NOW - timedelta(minutes=each) for each in minutes)
    said = state(replace(sighting(state=screen), compacted=times))
    if full:
        assert said == (AgentState.CONTEXT_FULL, "it compacted 5 times within 15m and has no room still")
    else:
        assert said[0] is not AgentState.CONTEXT_FULL


def test_an_unknown_screen_is_the_last_state_for_three_seconds_and_then_blocked() -> None:
    torn = Screen(ScreenState.UNKNOWN, "half a frame")
    working = replace(known_agent(), state=AgentState.WORKING)
    assert state(sighting(screen=torn, since=2.9 * SECOND), working) == (AgentState.WORKING, "")
    assert state(sighting(screen=torn, since=3 * SECOND), working) == (AgentState.BLOCKED, "half a frame")


@pytest.mark.parametrize(
    ("screen", "seconds", "expected"),
    [
        (ScreenState.UNKNOWN, 0, 3),
        (ScreenState.UNKNOWN, 2.9, 0.1),
        (ScreenState.UNKNOWN, 3, None),
        (ScreenState.READY, 1, None),
    ],
)
def test_a_screen_that_may_turn_out_unknown_is_looked_at_when_it_has_stood_for_three_seconds(
    screen: ScreenState, seconds: float, expected: float | None
) -> None:
    wait = puzzled_for(world(sighting(state=screen, since=seconds * SECOND)))
    assert wait == (None if expected is None else expected * SECOND)


def test_of_several_unknown_screens_the_oldest_that_is_not_told_yet_is_waited_for() -> None:
    ages = {"a-1": 5, "a-2": 2, "a-3": 1}
    seen = [sighting(name, state=ScreenState.UNKNOWN, since=age * SECOND) for name, age in ages.items()]
    assert puzzled_for(world(*seen)) == SECOND


@pytest.mark.parametrize("before", ["crashed", "absent", "failed-to-start", "no word of ours"])
def test_an_unknown_screen_of_a_new_session_is_a_start(before: str) -> None:
    torn = sighting(state=ScreenState.UNKNOWN, since=SECOND)
    assert state(torn, replace(known_agent(), state=before)) == (AgentState.STARTING, "")


def deaf(task: Task, presses: str = "3", **changes: object) -> bool:
    marks = {"agent": "quality-1", "generation": "1", "presses": presses}
    seen = replace(sighting(marks=marks), **changes)  # type: ignore[arg-type]  # the tests name fields
    return takes_no_prompt(task, seen, known_agent(), TRAITS, NOW)


def test_an_agent_is_hung_once_every_press_had_its_patience_without_a_sign() -> None:
    waiting = replace(prompted(), prompted_at=NOW - 40 * SECOND)
    assert deaf(waiting)
    assert not deaf(waiting, presses="2")
    assert not deaf(replace(waiting, prompted_at=NOW - timedelta(seconds=39)))


def test_an_agent_that_asks_or_shows_the_prompt_in_its_transcript_is_not_hung() -> None:
    waiting = replace(prompted(), prompted_at=NOW - 400 * SECOND)
    assert not deaf(waiting, screen=Screen(ScreenState.ASKING))
    assert not deaf(waiting, turns=(Turn(waiting.prompt_id, ended=False),))


def test_a_prompt_of_an_earlier_start_says_nothing_about_this_one() -> None:
    waiting = replace(prompted(), prompted_at=NOW - 400 * SECOND)
    assert not deaf(replace(waiting, prompt_id=f"{waiting.id}/0"))
