"""Where a person types, hive waits: it delivers, presses, answers and interrupts nothing there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from hive.contracts.backend import DialogRule
from hive.decisions.lifecycle import LifecyclePolicy
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.status import Surroundings, document
from hive.facts.agents import AgentSighting, AgentState
from hive.facts.events import AgentChanged
from hive.facts.intents import ClaimWork, Intent, StopAgent
from hive.facts.memory import Memory
from hive.facts.screens import Screen, ScreenState
from hive.facts.work import Task, TaskState
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

A = "quality-1"
RULES = (DialogRule("trust", "trust this folder", "Yes.*"),)
KEYS = replace(TRAITS, dialogs=RULES, interrupt=("Escape",))
WISHES = policy(traits={"scripted": KEYS})
TRUST = Screen(ScreenState.ASKING, "Do you trust this folder?", options=("No", "Yes, I do"), chosen=0)
LONG_AGO = NOW - timedelta(hours=1)
WAITED = replace(prompted(), prompted_at=NOW - timedelta(seconds=25))

# What hive would type next, and to whom.
SITUATIONS: Mapping[str, tuple[AgentSighting, Memory]] = {
    "prompt": (sighting(), memory(None, task())),
    "submit": (sighting(), memory(None, WAITED)),
    "answer": (sighting(screen=TRUST), memory({A: replace(known_agent(), state=AgentState.ASKING)})),
    "interrupt": (
        replace(sighting(state=ScreenState.WORKING), working_since=LONG_AGO),
        memory(
            {A: replace(known_agent(), state=AgentState.WORKING)},
            replace(WAITED, state=TaskState.WORKING),
        ),
    ),
}


def intended(seen: AgentSighting, known: Memory, wishes: Policy = WISHES) -> list[Intent]:
    return [*plan(world(seen, repos={REPO: look([issue(7)])}), known, wishes).intents]


def typed(seen: AgentSighting, ago: timedelta, by: str = "ada") -> AgentSighting:
    return replace(seen, pane=replace(seen.pane, typed_at=NOW - ago, typed_by=by))


@pytest.mark.parametrize("what", SITUATIONS)
def test_nothing_is_typed_where_a_person_types_and_all_of_it_once_the_hands_have_rested(what: str) -> None:
    seen, known = SITUATIONS[what]
    usual = intended(seen, known)
    assert [one.id.partition("/")[0] for one in usual] == [what]
    assert intended(typed(seen, timedelta()), known) == []
    assert intended(typed(seen, timedelta(seconds=59)), known) == []
    assert intended(typed(seen, timedelta(seconds=60)), known) == usual


def test_how_long_hands_rest_is_a_setting_and_zero_takes_no_heed_of_them() -> None:
    seen, known = SITUATIONS["prompt"]
    patient = replace(WISHES, lifecycle=LifecyclePolicy(hands_off=timedelta(minutes=5)))
    assert intended(typed(seen, timedelta(minutes=4)), known, patient) == []
    heedless = replace(WISHES, lifecycle=LifecyclePolicy(hands_off=timedelta()))
    assert intended(typed(seen, timedelta()), known, heedless) == intended(seen, known)


def test_an_issue_goes_to_whom_nobody_types_in_and_to_the_other_once_the_hands_have_rested() -> None:
    both = policy(spec(A), spec("quality-2"))

    def claimed(*seen: AgentSighting) -> list[str]:
        known = memory({A: known_agent(), "quality-2": known_agent()})
        there = world(*seen, repos={REPO: look([issue(7), issue(8)])})
        return sorted(one.agent for one in plan(there, known, both).intents if isinstance(one, ClaimWork))

    other = sighting("quality-2")
    assert claimed(typed(sighting(A), timedelta(seconds=59)), other) == ["quality-2"]
    assert claimed(typed(sighting(A), timedelta(minutes=1)), other) == [A, "quality-2"]


@pytest.mark.parametrize(
    ("seen", "kept", "why"),
    [
        (
            replace(sighting(state=ScreenState.WORKING), working_since=LONG_AGO),
            replace(WAITED, state=TaskState.WORKING),
            "no sign of work for 15m",
        ),
        (
            sighting(marks={"presses": "3"}),
            replace(WAITED, prompted_at=LONG_AGO),
            "it takes no prompt: submitted 4 times without a sign",
        ),
    ],
)
def test_nobody_is_called_hung_while_a_person_types_there(seen: AgentSighting, kept: Task, why: str) -> None:
    def hung(one: AgentSighting) -> list[str]:
        known = memory({A: replace(known_agent(), state=AgentState.WORKING)}, kept)
        told = notice(world(one), known, policy())
        return [event.detail for event in told if isinstance(event, AgentChanged) and event.state == "hung"]

    assert hung(seen) == [why]
    assert hung(typed(seen, timedelta(seconds=59))) == []
    assert hung(typed(seen, timedelta(minutes=1))) == [why]


def test_a_person_holds_up_no_stop_that_has_a_reason() -> None:
    wanted = memory({A: known_agent(restart_wanted=True)})
    assert [type(one) for one in intended(typed(sighting(), timedelta()), wanted)] == [StopAgent]


def test_the_status_says_who_types_and_until_when_hive_waits() -> None:
    def detail(seen: AgentSighting, known: Memory) -> str:
        around = Surroundings(pid=1, tick=1, tick_seconds=1.0, state="/s", attach="tmux", abandoned={})
        (row,) = document(world(seen), known, WISHES, around)["agents"]
        return str(row["detail"])

    waits = "types there: hive types nothing until 1m after the last key"
    asks = memory({A: replace(known_agent(), state=AgentState.ASKING, detail="Trust?")})
    assert detail(typed(sighting(), SECOND), memory()) == f"ada {waits}"
    assert detail(typed(sighting(), SECOND, by=""), memory()) == f"somebody {waits}"
    assert detail(typed(sighting(screen=TRUST), SECOND), asks) == f"ada {waits}; Trust?"
    assert detail(typed(sighting(screen=TRUST), timedelta(minutes=1)), asks) == "Trust?"
