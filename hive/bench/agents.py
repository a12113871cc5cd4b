"""What one supervised agent costs, idle and at work, and how soon its state is on record.

The same agents are watched twice in one run: by the daemon, then, with the daemon gone, by the loop that
tools of this kind run (`agents_poll`). Once without isolation, once with what the
machine gives by default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from hive.bench import BenchResult, BenchRow, at_most
from hive.bench.agents_crew import Crew
from hive.bench.agents_poll import PollLoop, processor_seconds, wall_clock
from hive.bench.agents_states import Change, changes_of, journalled, latencies
from hive.bench.daemon import cpu_of, idle_fleet, percentile
from hive.bench.process_tree import ProcessTree
from hive.kernel.plugins import backends

_IDLE, _BUSY, _SOON = 0.25, 1.0, 1.0
"""Most of hive's cost and delay, as ratios to the poll loop's: chosen, with what was measured below them."""
_STARTING = 3.0
"""Seconds until all are at work, at most."""
_LOOP = "capture-pane loop, 1/s"


def run(*, agents: int = 20, seconds: float = 10.0, rounds: int = 3) -> BenchResult:
    """Watch `agents` for `seconds` idle and `seconds` busy; each changes its state twice a round."""
    rows: list[BenchRow] = []
    for name, settings in (("no isolation", {"isolation": {"mode": "none"}}), ("isolated", {})):
        rows += _rows(name, settings, agents, seconds, rounds)
    return BenchResult("agents", tuple(rows), f"{agents} agents, {os.cpu_count()} cores")


def _rows(
    name: str, settings: Mapping[str, object], agents: int, seconds: float, rounds: int
) -> list[BenchRow]:
    with idle_fleet(agents, **settings) as daemon:
        crew = Crew(daemon)
        crew.start(1)
        alone = ProcessTree.of(daemon.pid).memory()
        crew.employ(agents)
        memory = ProcessTree.of(daemon.pid).memory()
        around = crew.around_agents().memory() / agents
        ours = _watched_by_hive(crew, seconds, rounds)
        crew.dismiss_daemon()
        loop = _watched_by_loop(crew, seconds, rounds)
    each = (memory - alone) / max(1, agents - 1)
    return [
        at_most(f"idle agent, {name}", ours.idle, "% CPU", _LOOP, loop.idle, times=_IDLE),
        at_most(f"busy agent, {name}", ours.busy, "% CPU", _LOOP, loop.busy, times=_BUSY),
        BenchRow(f"daemon over one agent, {name}", alone, "MiB"),
        BenchRow(f"daemon for each further agent, {name}", max(0.0, each), "MiB"),
        BenchRow(f"around each agent, {name}", around, "MiB"),
        *_delays(name, ours, loop),
    ]


@dataclass(frozen=True, slots=True)
class _Watched:
    """Percent of a core for each agent, and seconds from a change to its being known."""

    idle: float
    busy: float
    delays: list[float]
    missed: int


def _delays(name: str, ours: _Watched, loop: _Watched) -> list[BenchRow]:
    told = f"change of state on record, {name}"
    p50, p99 = ([1e3 * percentile(side.delays, part) for side in (ours, loop)] for part in (50, 99))
    return [
        at_most(f"{told}, p50", p50[0], "ms", _LOOP, p50[1], times=_SOON),
        at_most(f"{told}, p99", p99[0], "ms", _LOOP, p99[1], times=_SOON),
        BenchRow(f"changes missed, {name}", ours.missed, "", _LOOP, loop.missed, None, "0", not ours.missed),
    ]


def _watched_by_hive(crew: Crew, seconds: float, rounds: int) -> _Watched:
    idle = crew.percent(lambda: crew.of_hive().processor_seconds(), seconds)
    began = wall_clock()
    crew.change_states(rounds)
    delays, missed = latencies(changes_of(crew.homes, began), journalled(crew.journal, began))
    crew.work(seconds + _STARTING)
    busy = crew.percent(lambda: crew.of_hive().processor_seconds(), seconds)
    return _Watched(idle, busy, delays, missed)


def _watched_by_loop(crew: Crew, seconds: float, rounds: int) -> _Watched:
    """The same with the loop, whose processor time is this process's and that of the programs it starts."""
    crew.rest()
    with PollLoop(crew.socket, crew.panes(), backends()["scripted"]) as loop:
        idle = crew.percent(lambda: processor_seconds() + cpu_of(crew.server), seconds)
        began = wall_clock()
        crew.change_states(rounds)
        found = [Change(*one) for one in loop.changes if one[2] >= began]
        delays, missed = latencies(changes_of(crew.homes, began), found)
        crew.work(seconds + _STARTING)
        busy = crew.percent(lambda: processor_seconds() + cpu_of(crew.server), seconds)
    return _Watched(idle, busy, delays, missed)
