"""What an idle fleet costs: the real daemon over scripted agents in real sessions, with nothing to do.

Processor time is read from the kernel, so that other load does not count. Beside it stands what tmux itself
takes to list the same panes as often, over bare control mode on the same server.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from hive.bench import BenchResult, BenchRow, below
from hive.bench.rawcontrol import RawControl
from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes, build
from hive.shells.system.files import write_private

MOST_PERCENT = 5.0
"""Of one core, for 300 idle agents."""
LONGEST_TICK = 1.0
SLOWEST_ANSWER = 300.0
"""Milliseconds."""
TICK = 5.0
"""Seconds between two ticks, as `hive.yaml` has it where nothing is said."""
_POLL = "60s"
_LISTING = "list-panes -a -F '#{session_name} #{pane_pid} #{pane_dead} #{window_activity}'"
_IDLE = "ready"


def run(*, agents: int = 300, seconds: float = 20.0) -> BenchResult:
    """Start `agents`, wait until all are ready, then watch the daemon for twice `seconds` and some more."""
    rows = daemon_rows(agents=agents, seconds=seconds)
    return BenchResult("daemon", tuple(rows), f"{agents} agents, {os.cpu_count()} cores")


def daemon_rows(*, agents: int, seconds: float) -> list[BenchRow]:
    """Rows about a daemon over `agents` idle ones. Everything is ended afterwards, also on Ctrl-C.

    Raises `RuntimeError` when the agents do not become ready.
    """
    with idle_fleet(agents) as daemon:
        began = time.monotonic()
        daemon.start()
        until_ready(daemon, agents)
        ready = time.monotonic() - began
        server = server_of(daemon)
        usual = _spent(daemon.pid, server, seconds)
        set_tick(daemon, 1.0)
        hurried = _spent(daemon.pid, server, seconds)
        answers = _ask(daemon, seconds / 2)
        listing = _listing_cost(daemon, server)
    about = f"{agents} idle agents"
    longest = max(answers.ticks, default=0.0)
    return [
        BenchRow(f"{agents} agents ready after the start", ready, "s"),
        _idle(f"daemon over {about}", usual.daemon, TICK, listing),
        BenchRow(f"tmux under {about}", usual.server, "% CPU"),
        below(f"longest tick over {about}", longest, "s", LONGEST_TICK),
        BenchRow(
            f"daemon over {about}, a tick a second",
            hurried.daemon,
            "% CPU",
            "bare list-panes as often",
            listing * 100,
            hurried.daemon / (listing * 100),
        ),
        BenchRow(f"tmux under {about}, a tick a second", hurried.server, "% CPU"),
        BenchRow("status asked, median", statistics.median(answers.took), "ms"),
        below("status asked, 99%", percentile(answers.took, 99), "ms", SLOWEST_ANSWER),
    ]


def _idle(name: str, percent: float, tick: float, listing: float) -> BenchRow:
    limit = listing / tick * 100
    target = f"≤ {MOST_PERCENT:g} % CPU"
    ratio = percent / limit
    return BenchRow(
        name, percent, "% CPU", "bare list-panes as often", limit, ratio, target, percent <= MOST_PERCENT
    )


@contextmanager
def idle_fleet(agents: int, **settings: object) -> Iterator[DemoDaemon]:
    """A daemon on a world without any issue, not started yet; `settings` are of ``hive.yaml``."""
    folder = Path(tempfile.mkdtemp(prefix="hive-bench-"))
    try:
        issues = folder / "issues.json"
        issues.write_text(json.dumps({"issues": []}))
        world = build(folder / "world", Wishes(level=5, agents=agents, issues=issues))
        daemon = DemoDaemon(world)
        try:
            configure(daemon, {"tick": f"{TICK:g}s", "poll": _POLL, **settings})
            yield daemon
        finally:
            daemon.stop()
            world.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def configure(daemon: DemoDaemon, changed: Mapping[str, object]) -> None:
    path = daemon.world.config
    settings = yaml.safe_load(path.read_text()) | dict(changed)
    write_private(path, yaml.safe_dump(settings, sort_keys=False).encode())


def set_tick(daemon: DemoDaemon, seconds: float) -> None:
    """The daemon takes a changed file up at its next tick."""
    configure(daemon, {"tick": f"{seconds:g}s"})
    if daemon.is_running():
        time.sleep(TICK + 1)


def until_ready(daemon: DemoDaemon, agents: int) -> None:
    patience = 60 + 2.0 * agents
    deadline = time.monotonic() + patience
    states: Counter[str] = Counter()
    while states[_IDLE] < agents:
        if not daemon.is_running():
            raise RuntimeError(f"the daemon ended early: {daemon.last_words()}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"not all agents are ready after {patience:g} s: {dict(states)}")
        time.sleep(1.0)
        status = daemon.status()
        states = Counter(agent["state"] for agent in status["agents"]) if status else Counter()


def server_of(daemon: DemoDaemon) -> int:
    """The pid of the tmux server."""
    argv = ["tmux", "-S", os.fspath(daemon.places.tmux_socket), "display-message", "-p", "#{pid}"]
    return int(subprocess.run(argv, capture_output=True, check=True).stdout)


@dataclass(frozen=True, slots=True)
class _Spent:
    """Percent of one core."""

    daemon: float
    server: float


def _spent(daemon: int, server: int, seconds: float) -> _Spent:
    before, began = (cpu_of(daemon), cpu_of(server)), time.monotonic()
    time.sleep(seconds)
    lasted = time.monotonic() - began
    return _Spent(
        *(100 * (cpu_of(pid) - old) / lasted for pid, old in zip((daemon, server), before, strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Answers:
    """Milliseconds that each answer took, and seconds that each tick took meanwhile."""

    took: list[float]
    ticks: list[float]


def _ask(daemon: DemoDaemon, seconds: float) -> _Answers:
    """Ask for the status ten times a second."""
    answers = _Answers([], [])
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        began = time.perf_counter()
        status = daemon.operator.status()
        answers.took.append((time.perf_counter() - began) * 1e3)
        answers.ticks.append(status.get("tick_seconds", 0))
        time.sleep(0.1)
    return answers


def _listing_cost(daemon: DemoDaemon, server: int) -> float:
    """Seconds of processor time that tmux and its client take to list all panes once."""
    raw = RawControl(daemon.places.tmux_socket)
    times = 200
    client = raw.pid
    before = cpu_of(server) + cpu_of(client)
    for _ in range(times):
        raw.send([_LISTING])
    spent = cpu_of(server) + cpu_of(client) - before
    raw.close()
    return max(spent, 0.01) / times


def cpu_of(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    # proc(5): utime and stime are fields 14 and 15; the name in parentheses may hold blanks.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
