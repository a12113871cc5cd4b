"""A daemon restarted again and again over agents that do everything wrong: nothing is lost, done twice, left
behind, or told wrongly for long."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.bench.agents_poll import wall_clock
from hive.decisions.recall import recall
from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.facts.events import (
    AgentChanged,
    Event,
    IntentFinished,
    PromptArrived,
    PullRequestOpened,
    TurnEnded,
)
from hive.facts.memory import Memory
from hive.shells.sqlite import SqliteJournal
from tests.demo import troupe
from tests.demo.truth import untruths
from tests.demo.worlds import demo, issues_file, prompts, pulls, records, until

RESTARTS = int(os.environ.get("HIVE_RESTARTS", "5"))
"""A hundred take half an hour: HIVE_RESTARTS=100 for the whole."""
SEED = int(os.environ.get("HIVE_RESTARTS_SEED", "1"))
AGENTS = 20
LONGEST = 5.0 if "HIVE_RESTARTS" in os.environ else 20.0
"""Seconds of a daemon's life in which an agent may be shown in a state that it is not in. Beside other tests
on two cores a look alone may take seconds: there only what stays wrong is found."""
PLAIN = 6 + RESTARTS // 2
DEADLINE = f"{10 + RESTARTS // 2}m"
"""Of a task: a daemon that is down half of the time is slower at it, and gives none back for that."""
STEPS, LONGEST_LIFE = 4, 10.0
"""A life ends when so many things at most have happened in it, or after so many seconds: lives that were
measured by the clock alone would end before anything happens on a slow machine, and after it all on a fast
one."""
STANDSTILL = 300.0
"""Seconds without any pull request after which the rest is called lost."""
_STEPS = (AgentChanged, PromptArrived, TurnEnded, PullRequestOpened)


@pytest.fixture
def hive(tmp_path: Path) -> Iterator[DemoDaemon]:
    wishes = Wishes(level=5, agents=AGENTS, issues=issues_file(tmp_path, troupe.issues(PLAIN)))
    with demo(tmp_path / "demo", wishes) as daemon:
        troupe.cast(daemon, DEADLINE)
        yield daemon


@pytest.mark.slow
@pytest.mark.timeout(60 * RESTARTS + 600)
def test_restarted_under_agents_of_every_behaviour_it_repeats_loses_and_misstates_nothing(
    hive: DemoDaemon,
) -> None:
    up = [*lives(hive, random.Random(SEED))]
    hive.start()
    began = until_looked(hive)
    until_done(hive)
    stray = until_none_strays(hive)
    up.append((began, wall_clock()))
    memory, journal = recalled(hive), records(hive)
    twice = {prompt: count for prompt, count in prompts(hive.world).items() if count > 1}
    titles = [pull["title"] for pull in pulls(hive.world)]
    wrong = untruths(hive.world.state / "agents", journal, up, LONGEST)
    hive.stop()

    assert twice == {}
    assert lost(memory) == []
    assert sorted(title for title in set(titles) if titles.count(title) > 1) == []
    assert stray == []
    assert troupe.left_behind(hive) == []
    assert wrong == []


def lives(hive: DemoDaemon, chance: random.Random) -> Iterator[tuple[float, float]]:
    """Start and end the daemon at random moments, by either signal; when it was up and had looked."""
    for _ in range(RESTARTS):
        hive.start()
        began = until_looked(hive)
        until_some_steps(hive, chance.randint(0, STEPS))
        time.sleep(chance.uniform(0.0, 0.5))
        ended = wall_clock()
        os.kill(hive.pid, chance.choice((signal.SIGKILL, signal.SIGTERM)))
        until(lambda: not hive.is_running(), "the end of the daemon", 60)
        yield began, ended


def until_looked(hive: DemoDaemon) -> float:
    """Wait for the end of the first look, until when a daemon shows nothing of agents; when that was."""

    def has_looked() -> bool:
        status = hive.status()
        assert hive.is_running(), hive.last_words()
        return status is not None and status["tick_seconds"] > 0

    until(has_looked, "a look of the daemon")
    return wall_clock()


def until_some_steps(hive: DemoDaemon, count: int) -> None:
    """Wait until something has happened so often, but not for long."""
    journal = SqliteJournal(hive.places.journal, read_only=True)
    deadline = time.monotonic() + LONGEST_LIFE
    try:
        seen = journal.last_seq()
        while count > 0 and time.monotonic() < deadline:
            time.sleep(0.05)
            for record in journal.records(after=seen):
                seen = record.seq
                count -= is_step(record.event)
    finally:
        journal.close()


def is_step(event: Event) -> bool:
    return isinstance(event, _STEPS) or (isinstance(event, IntentFinished) and event.outcome == "done")


def until_done(hive: DemoDaemon) -> None:
    """Wait for the pull requests of all plain issues, as long as there are ever more."""
    left = undone(hive)
    deadline = time.monotonic() + STANDSTILL
    while left:
        assert time.monotonic() < deadline, f"no pull request for {STANDSTILL:g} s; left: {sorted(left)}"
        time.sleep(0.5)
        now = undone(hive)
        if now != left:
            left, deadline = now, time.monotonic() + STANDSTILL


def undone(hive: DemoDaemon) -> set[str]:
    """Plain issues without their pull request."""
    assert hive.is_running(), hive.last_words()
    wanted = {title for title in troupe.issues(PLAIN) if title.startswith("Plain")}
    return wanted - {pull["title"] for pull in pulls(hive.world)}


def until_none_strays(hive: DemoDaemon) -> list[str]:
    """What still stays a while after: an agent that is just being ended, or started, is no stray."""
    deadline = time.monotonic() + 60
    while (stray := troupe.strays(hive)) and time.monotonic() < deadline:
        time.sleep(0.5)
    return stray


def recalled(hive: DemoDaemon) -> Memory:
    journal = SqliteJournal(hive.places.journal, read_only=True)
    try:
        return recall(Memory(), journal.records())
    finally:
        journal.close()


def lost(memory: Memory) -> list[str]:
    """Tasks that nobody works on and that nobody would take up again."""
    return [
        f"{task.id} of {task.agent}, {task.state}"
        for task in memory.tasks.values()
        if task.is_open and memory.agents[task.agent].task != task.id
    ]
