"""How soon hive hears of output and of deaths, and what listening costs the server.

A line is written straight into a pane's terminal, as its program would, at a noted time; no clock of another
process takes part.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from hive.bench import BenchRow, at_most, below, below_or_near
from hive.bench.rawcontrol import RawControl
from hive.ports.terminal import SessionOrder
from hive.shells.tmux import TmuxTerminal

_SHARDS = 10
_DEATHS = 100
_WAIT = "kill and waitpid, 99%"
_RAW = "raw %output, others silent"


class _Fleet:
    """Sessions on one server, with a hand on each pane's terminal and an ear on what hive hears."""

    def __init__(self, socket: Path, count: int) -> None:
        self.socket = socket
        self.terminal = TmuxTerminal(socket, timeout=60)
        environment = {"PATH": os.environ.get("PATH", os.defpath)}
        names = [f"hive-{number}" for number in range(count)]
        self.terminal.create_all([SessionOrder(name, ("cat",), environment, "/") for name in names])
        self.heard: list[tuple[str, float]] = []
        self.pids = {pane.name: pane.pid for pane in self.terminal.look()}
        form = "#{session_name} #{pane_tty} #{pid} #{window_id}"
        listed = self.terminal.structure.cmd("list-panes", "-a", "-F", form).stdout
        fields = [line.split() for line in listed]
        self.server = int(fields[0][2])
        self.ttys = {
            name: os.open(tty, os.O_WRONLY | os.O_NOCTTY) for name, tty, _, _ in fields if name in self.pids
        }
        self._names = {window: name for name, _, _, window in fields}

    def listen(self) -> None:
        self.terminal.watch(lambda: None, overhear=self._overhear)
        time.sleep(0.3)

    def _overhear(self, _kind: str, window: str) -> None:
        self.heard.append((self._names[window], time.monotonic()))

    def close(self) -> None:
        for tty in self.ttys.values():
            os.close(tty)
        self.terminal.close()
        subprocess.run(["tmux", "-S", str(self.socket), "kill-server"], capture_output=True, check=False)


def event_rows(folder: Path, sessions: int, seconds: float) -> list[BenchRow]:
    """Rows about output at one line per second and pane, about deaths, and about sharding."""
    fleet = _Fleet(folder / "events", sessions)
    fleet.listen()
    one = _spent([fleet], seconds)
    latencies = _output_latencies(fleet, seconds)
    raw = _raw_latency(fleet)
    deaths, waited, missed = _deaths(fleet, min(_DEATHS, sessions))
    fleet.close()
    shards = [_Fleet(folder / f"shard{number}", max(1, sessions // _SHARDS)) for number in range(_SHARDS)]
    for shard in shards:
        shard.listen()
    ten = _spent(shards, seconds)
    for shard in shards:
        shard.close()
    return [
        at_most("output heard, others silent", raw[0], "ms", _RAW, raw[1], times=None),
        below_or_near("output heard, median", _percentile(latencies, 50), "ms", 2.0, _RAW, raw[1], times=2),
        below_or_near("output heard, 99%", _percentile(latencies, 99), "ms", 10.0, _RAW, raw[1], times=10),
        below_or_near(
            "death heard, 99%", _percentile(deaths, 99), "ms", 25.0, _WAIT, _percentile(waited, 99), times=5
        ),
        below(f"deaths missed of {min(_DEATHS, sessions)}", missed, "deaths", 0),
        BenchRow(f"one server at {sessions} lines/s", one, "% CPU"),
        BenchRow(
            f"the same over {_SHARDS} servers", ten, "% CPU", "one server", one, ten / one if one else None
        ),
    ]


def _write_lines(fleets: Sequence[_Fleet], seconds: float) -> dict[str, list[float]]:
    """Write one line per second into every pane, evenly spread; when each was written."""
    hands = [(name, tty) for fleet in fleets for name, tty in fleet.ttys.items()]
    written: dict[str, list[float]] = {name: [] for name, _ in hands}
    start = time.monotonic()
    for count in range(int(len(hands) * seconds)):
        wait = start + count / len(hands) - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        name, tty = hands[count % len(hands)]
        written[name].append(time.monotonic())
        os.write(tty, b"one more line of output\r\n")
    return written


def _output_latencies(fleet: _Fleet, seconds: float) -> list[float]:
    """Milliseconds from a line being written to hive hearing of it; infinite for one that was not heard."""
    fleet.heard.clear()
    written = _write_lines([fleet], seconds)
    time.sleep(0.5)
    heard: dict[str, list[float]] = {}
    for name, at in fleet.heard:
        heard.setdefault(name, []).append(at)
    latencies = []
    for name, times in written.items():
        for at in times:
            after = [later - at for later in heard.get(name, ()) if later >= at]
            latencies.append(min(after, default=float("inf")) * 1e3)
    return latencies


def _raw_latency(fleet: _Fleet) -> tuple[float, float]:
    """Median milliseconds for one pane, ours and raw control mode's, with all others silent."""
    name, tty = next(iter(fleet.ttys.items()))
    ours = []
    for _ in range(20):
        fleet.heard.clear()
        at = time.monotonic()
        os.write(tty, b"line\r\n")
        deadline = at + 1
        while not fleet.heard and time.monotonic() < deadline:
            time.sleep(0.00005)
        ours.append((fleet.heard[0][1] - at) * 1e3 if fleet.heard else float("inf"))
        time.sleep(0.25)  # until the flag is cleared
    raw = RawControl(fleet.socket, name)
    limit = []
    for _ in range(20):
        at = time.monotonic()
        os.write(tty, b"line\r\n")
        while b"%output" not in raw.read():
            pass
        limit.append((time.monotonic() - at) * 1e3)
        time.sleep(0.02)
    raw.close()
    return statistics.median(ours), statistics.median(limit)


def _deaths(fleet: _Fleet, count: int) -> tuple[list[float], list[float], int]:
    """Milliseconds from a kill to hive hearing of it, and to a parent's own wait for a like process, both
    for single deaths; and how many deaths were never heard of, of those and of a burst at once."""
    names = [name for name in fleet.pids if name.startswith("hive-")][:count]
    fleet.heard.clear()
    single, burst = names[: count // 3], names[count // 3 :]
    killed, waited = {}, []
    for name in single:
        waited.append(_waited_death())
        killed[name] = time.monotonic()
        os.kill(fleet.pids[name], signal.SIGKILL)
        time.sleep(0.03)
    time.sleep(0.5)
    for name in burst:
        killed[name] = time.monotonic()
        os.kill(fleet.pids[name], signal.SIGKILL)
    deadline = time.monotonic() + 5
    died: dict[str, float] = {}
    while len(died) < count and time.monotonic() < deadline:
        for name, at in list(fleet.heard):
            died.setdefault(name, at)
        time.sleep(0.01)
    heard = [(died[name] - killed[name]) * 1e3 for name in single if name in died]
    return heard, waited, count - len(died)


def _waited_death() -> float:
    """Milliseconds from killing a child to having waited for it: no way of hearing can be sooner."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        time.sleep(0.01)
        at = time.monotonic()
        child.kill()
        child.wait()
        return (time.monotonic() - at) * 1e3


def _spent(fleets: Sequence[_Fleet], seconds: float) -> float:
    """Percent of a core that the servers use while every pane prints a line a second."""
    before = [_cpu_of(fleet.server) for fleet in fleets]
    start = time.monotonic()
    _write_lines(fleets, seconds)
    lasted = time.monotonic() - start
    used = sum(_cpu_of(fleet.server) for fleet in fleets) - sum(before)
    return used / lasted * 100


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _percentile(values: Sequence[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
