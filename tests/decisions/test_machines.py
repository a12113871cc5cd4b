"""Machines that take agents with them: for want of memory, and by starting anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.agent_state import observed_state
from hive.decisions.notice import notice
from hive.decisions.plan import plan
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import AgentSighting
from hive.facts.memory import Memory, SandboxMemory
from tests.decisions.model import Model
from tests.decisions.test_starts import starts
from tests.decisions.worlds import (
    NOW,
    REPO,
    TRAITS,
    known_agent,
    memory,
    policy,
    prompted,
    sighting,
    spec,
    world,
)

NAME = "quality-1"
WANT = "out of memory (limit 4 GiB)"


@pytest.mark.parametrize(
    ("seen", "detail"),
    [
        (sighting(dead=True, exit_signal=9), WANT),
        (sighting(dead=True, exit_status=137), WANT),
        (sighting(alive=False), WANT),
        (sighting(dead=True, exit_status=1), "exited with status 1"),
        (sighting(dead=True, exit_signal=15), "ended by signal 15"),
    ],
    ids=["killed", "killed below the launcher", "its shell is left", "a failure of its own", "TERM"],
)
def test_an_agent_that_the_kernel_ended_for_want_of_memory_is_said_to_be(
    seen: AgentSighting, detail: str
) -> None:
    state = observed_state(replace(seen, killed_by=WANT), known_agent(), TRAITS, NOW)
    assert state == ("crashed", detail)


def started(before: Memory, boot: str) -> Memory:
    event = e.SupervisorStarted(pid=7, version="1", boot=boot)
    return recall(before, [e.Record(before.seq + 1, NOW, 1, event)])


@pytest.mark.parametrize(("boot", "blamed"), [("second", False), ("first", True), ("", True)])
def test_a_single_agent_is_not_blamed_for_a_machine_that_started_anew(boot: str, blamed: bool) -> None:
    held = memory({NAME: known_agent()}, prompted())
    after = started(started(held, "first"), boot)
    events = notice(world(), after, policy())
    assert ("crashed" in [one.state for one in events if isinstance(one, e.AgentChanged)]) is blamed
    later = recall(after, [e.Record(after.seq + 1 + n, NOW, 1, one) for n, one in enumerate(events)])
    assert len(later.agents[NAME].crash_times) == blamed
    assert (f"{REPO}#7" in later.issues) is False
    begun = [type(one) for one in plan(world(), later, policy()).intents]
    assert begun == ([] if blamed else [i.StartAgent])


def test_an_agent_in_a_pod_is_left_as_it_was_when_hives_machine_starts_anew() -> None:
    away = known_agent(sandbox=SandboxMemory("running", NOW))
    assert started(started(memory({NAME: away}), "first"), "second").agents[NAME] == away


def test_fifty_agents_of_a_machine_that_started_anew_start_one_after_the_other() -> None:
    crowd = tuple(spec(f"agent-{number}") for number in range(50))
    held = {one.name: known_agent() for one in crowd}
    model = Model(policy(*crowd), {})
    model.memory = started(started(memory(held), "first"), "second")
    assert starts(model, seconds=60) == list(range(50))
