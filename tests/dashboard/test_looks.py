"""What needs a person stands out; what was done on purpose does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from rich.cells import cell_len

from hive.dashboard.looks import Tone, ago, look_of, needs_a_person
from hive.facts.agents import AgentState

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_exactly_these_states_need_a_person() -> None:
    assert {state for state in AgentState if needs_a_person(state)} == {
        AgentState.ASKING,
        AgentState.BLOCKED,
        AgentState.LOGGED_OUT,
        AgentState.OUT_OF_CREDIT,
        AgentState.CRASHED,
        AgentState.FAILED_TO_START,
        AgentState.HUNG,
    }


def test_a_deliberate_pause_is_no_alarm() -> None:
    assert look_of("paused").tone is Tone.MUTED


@pytest.mark.parametrize("state", list(AgentState))
def test_every_state_has_a_glyph_of_one_cell(state: AgentState) -> None:
    assert cell_len(look_of(state).glyph) == 1


def test_a_state_of_a_newer_supervisor_asks_for_attention() -> None:
    assert look_of("meditating").tone is Tone.WARN


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0s"),
        (0, "0s"),
        (59, "59s"),
        (60, "1m"),
        (3599, "59m"),
        (3600, "1h"),
        (86_399, "23h"),
        (172_800, "2d"),
    ],
)
def test_an_age_is_told_in_the_largest_unit_that_fits(seconds: int, words: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == words


def test_never_has_no_age() -> None:
    assert ago(None, NOW) == ""
