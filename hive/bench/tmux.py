"""Hundreds of sessions: how much hive adds to what tmux itself takes.

Both sides run in turns on servers of their own, with the same programs; medians of some turns count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hive.bench import BenchResult, BenchRow, at_most, faster
from hive.bench.daemon import daemon_rows
from hive.bench.rawcontrol import RawControl
from hive.bench.tmux_events import event_rows
from hive.ports.terminal import SessionOrder
from hive.shells.tmux import TmuxTerminal
from hive.shells.tmux.sighting import FORMAT

_PROGRAM = ("sleep", "100000")
_COLUMNS, _ROWS = 120, 40
_TICK = os.sysconf("SC_CLK_TCK")


def run(
    *, sessions: int = 300, turns: int = 3, looks: int = 20, seconds: float = 4.0, idle: float = 20.0
) -> BenchResult:
    """Measure creating, listing, capturing and hearing of `sessions` sessions, and a daemon over as many
    idle agents; below four minutes.

    Args:
        turns: Of creating and capturing.
        looks: Lists whose CPU is measured.
        seconds: Of output, one line per second and pane.
        idle: Seconds for which the daemon is watched, twice.
    """
    with tempfile.TemporaryDirectory(prefix="hive-bench-") as name:
        folder = Path(name)
        rows = [
            *_creation(folder, sessions, turns),
            *_looking(folder, sessions, turns, looks),
            *event_rows(folder, sessions, seconds),
        ]
    rows += daemon_rows(agents=sessions, seconds=idle)
    return BenchResult("tmux", tuple(rows), f"{sessions} sessions, {os.cpu_count()} cores")


def orders(count: int) -> list[SessionOrder]:
    """Orders for `count` sessions that do nothing."""
    environment = {"PATH": os.environ.get("PATH", os.defpath)}
    return [
        SessionOrder(f"hive-{number}", _PROGRAM, environment, "/", _COLUMNS, _ROWS, {"intent": f"i-{number}"})
        for number in range(count)
    ]


def kill_server(socket: Path) -> None:
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True, check=False)


def _creation(folder: Path, sessions: int, turns: int) -> list[BenchRow]:
    ours, raw = [], []
    for turn in range(turns):
        raw.append(_created_raw(folder / f"raw{turn}", sessions) / sessions * 1e3)
        ours.append(_created(folder / f"hive{turn}", sessions, _all_at_once) / sessions * 1e3)
    few = min(sessions, 40)
    one = _created(folder / "one", few, _one_by_one) / few * 1e3
    libtmux = _created_by_libtmux(folder / "libtmux", few) / few * 1e3
    best, bare = statistics.median(ours), statistics.median(raw)
    limit = "raw control mode, pipelined"
    return [
        at_most("create, all at once", best, "ms each", limit, bare, times=1.15),
        at_most("create, one by one", one, "ms each", limit, bare, times=None),
        faster("create, against libtmux", best, "ms each", "libtmux", libtmux, times=4),
    ]


def _all_at_once(terminal: TmuxTerminal, sessions: int) -> None:
    failed = terminal.create_all(orders(sessions))
    assert not failed


def _one_by_one(terminal: TmuxTerminal, sessions: int) -> None:
    for order in orders(sessions):
        terminal.create(order)


def _created(socket: Path, sessions: int, create: Callable[[TmuxTerminal, int], None]) -> float:
    terminal = TmuxTerminal(socket, timeout=60)
    terminal.create(SessionOrder("first", _PROGRAM, {}, "/"))
    start = time.perf_counter()
    create(terminal, sessions)
    spent = time.perf_counter() - start
    terminal.close()
    kill_server(socket)
    return spent


def _created_raw(socket: Path, sessions: int) -> float:
    raw = RawControl(socket)
    size = f"-x {_COLUMNS} -y {_ROWS}"
    start = time.perf_counter()
    raw.send([f"new-session -d -s raw-{number} {size} -- {' '.join(_PROGRAM)}" for number in range(sessions)])
    spent = time.perf_counter() - start
    raw.close()
    kill_server(socket)
    return spent


def _created_by_libtmux(socket: Path, sessions: int) -> float:
    import libtmux

    server = libtmux.Server(socket_path=socket, config_file=os.devnull)
    server.new_session("first", window_command=" ".join(_PROGRAM))
    start = time.perf_counter()
    for number in range(sessions):
        server.new_session(f"hive-{number}", x=_COLUMNS, y=_ROWS, window_command=" ".join(_PROGRAM))
    spent = time.perf_counter() - start
    server.kill()
    return spent


def _looking(folder: Path, sessions: int, turns: int, looks: int) -> list[BenchRow]:
    socket = folder / "look"
    terminal = TmuxTerminal(socket, timeout=60)
    terminal.create_all(orders(sessions))
    _fill(terminal)
    names = [pane.name for pane in terminal.look()]
    raw = RawControl(socket)
    lines = [f"capture-pane -p -e -J -t ={name}:" for name in names]
    ours, limit = [], []
    for _ in range(max(turns, 5)):
        limit.append(_timed(lambda: raw.send(lines)))
        ours.append(_timed(lambda: terminal.capture(names)))
    server = int(terminal.structure.cmd("display-message", "-p", "#{pid}").stdout[0])
    listing = f'list-sessions -F "{FORMAT}"'
    cpu = _cpu(server, terminal.look, looks)
    bare = _cpu(server, lambda: raw.send([listing]), looks)
    raw.close()
    terminal.close()
    kill_server(socket)
    control = "raw control mode"
    sweep = at_most(
        "capture all", statistics.median(ours), "ms", control, statistics.median(limit), times=1.3
    )
    return [
        sweep,
        BenchRow(
            "list once a second",
            cpu,
            "% CPU",
            control,
            bare,
            cpu / bare if bare else None,
            "≤ 2 % CPU",
            cpu <= 2.0,
        ),
    ]


def _fill(terminal: TmuxTerminal) -> None:
    """Give every pane a screen as full as an agent's."""
    line = "\033[32m●\033[0m Reading src/module.py and thinking about what to change in it next …\r\n"
    ttys = terminal.structure.cmd("list-panes", "-a", "-F", "#{pane_tty} #{session_name}").stdout
    for entry in ttys:
        path, _, name = entry.partition(" ")
        if name.startswith("hive-") and name != "hive-control":
            with open(path, "wb", buffering=0) as tty:
                tty.write((line * (_ROWS - 1)).encode())
    time.sleep(0.5)


def _timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def _cpu(server: int, call: Callable[[], object], times: int) -> float:
    """Percent of a core, ours and the server's, for one call per second."""
    ours, theirs = time.process_time(), cpu_of(server)
    for _ in range(times):
        call()
    return ((time.process_time() - ours) + (cpu_of(server) - theirs)) / times * 100


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK
