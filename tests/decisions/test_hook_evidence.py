"""Hooks, processes and screens as witnesses: who is believed when they disagree."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions.agent_state import observed_state
from hive.facts.agents import AgentState
from hive.facts.hooks import HookEvidence, HookState
from hive.facts.screens import Screen, ScreenState
from tests.decisions.worlds import NOW, TRAITS, known_agent, sighting

_H, _S = HookState, ScreenState


def ago(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("said", "said_ago", "screen", "screen_for", "expected"),
    [
        # The composer is drawn all through a turn; an interrupted program says nothing, and rests for long.
        (_H.WORKING, 5, _S.READY, 60, AgentState.WORKING),
        (_H.WORKING, 60, _S.READY, 5, AgentState.WORKING),
        (_H.WORKING, 31, _S.READY, 31, AgentState.READY),
        # A banner of trouble counts until the program is seen to go on.
        (_H.WORKING, 5, _S.LIMITED, 60, AgentState.WORKING),
        (_H.WORKING, 60, _S.LIMITED, 5, AgentState.LIMITED),
        (_H.WORKING, 5, _S.OUT_OF_CREDIT, 60, AgentState.WORKING),
        (_H.WORKING, 5, _S.LOGGED_OUT, 5, AgentState.LOGGED_OUT),
        # A box has to be answered, whatever goes on behind it.
        (_H.WORKING, 1, _S.ASKING, 60, AgentState.ASKING),
        # A screen that nobody knows is no dialog while the program is known to work.
        (_H.WORKING, 3, _S.UNKNOWN, 20, AgentState.WORKING),
        (_H.WORKING, 40, _S.UNKNOWN, 60, AgentState.BLOCKED),
        (_H.WORKING, 40, _S.UNKNOWN, 20, AgentState.BLOCKED),
        (_H.ASKING, 10, _S.UNKNOWN, 8, AgentState.ASKING),
        (_H.ASKING, 10, _S.WORKING, 8, AgentState.WORKING),
        # The end of a turn is told before it is drawn, and not for ever.
        (_H.FINISHED, 2, _S.WORKING, 60, AgentState.READY),
        (_H.FINISHED, 6, _S.WORKING, 60, AgentState.WORKING),
        (_H.FINISHED, 60, _S.WORKING, 2, AgentState.WORKING),
        (_H.FINISHED, 60, _S.LIMITED, 60, AgentState.LIMITED),
        (_H.FAILED, 5, _S.READY, 3, AgentState.FAILED),
        (_H.FAILED, 5, _S.LIMITED, 3, AgentState.LIMITED),
        (_H.STARTED, 5, _S.READY, 3, AgentState.READY),
        (_H.CLOSED, 5, _S.READY, 3, AgentState.READY),
    ],
)
def test_the_more_trusted_witness_is_believed_unless_it_is_the_older_one(
    said: HookState, said_ago: float, screen: ScreenState, screen_for: float, expected: AgentState
) -> None:
    seen = replace(
        sighting(screen=Screen(screen), since=ago(screen_for)), hooks=HookEvidence(said, NOW - ago(said_ago))
    )
    assert observed_state(seen, known_agent(), TRAITS, NOW)[0] is expected


@pytest.mark.parametrize("said", list(HookState))
def test_no_word_of_a_hook_makes_a_dead_process_live(said: HookState) -> None:
    hooks = HookEvidence(said, NOW)
    dead = replace(sighting(dead=True, exit_status=3), hooks=hooks)
    assert observed_state(dead, known_agent(), TRAITS, NOW)[0] is AgentState.CRASHED
    gone = replace(sighting(alive=False), hooks=hooks)
    assert observed_state(gone, known_agent(), TRAITS, NOW)[0] is AgentState.CRASHED
    stopped = replace(sighting(), stopped=True, hooks=hooks)
    assert observed_state(stopped, known_agent(), TRAITS, NOW)[0] is AgentState.HUNG


def test_what_an_earlier_start_said_counts_for_nothing() -> None:
    seen = sighting(created_at=NOW - ago(60))
    before = replace(seen, hooks=HookEvidence(HookState.WORKING, NOW - ago(61)))
    since = replace(seen, hooks=HookEvidence(HookState.WORKING, NOW - ago(20)))
    assert observed_state(before, known_agent(), TRAITS, NOW)[0] is AgentState.READY
    assert observed_state(since, known_agent(), TRAITS, NOW)[0] is AgentState.WORKING


def test_an_asking_hook_says_what_it_asks_where_the_box_is_not_known() -> None:
    asks = HookEvidence(HookState.ASKING, NOW - ago(9), detail="may it use Bash?")
    seen = replace(sighting(state=ScreenState.UNKNOWN), hooks=asks)
    assert observed_state(seen, known_agent(), TRAITS, NOW) == (AgentState.ASKING, "may it use Bash?")
