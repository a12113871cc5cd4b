"""What watching a hive costs: the dashboard in a real terminal device, its CPU time read from the kernel.

It runs as a process of its own, as operators run it, with a fleet that changes every second. CPU time
rather than the clock is counted, so that other load on the machine does not count.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from hive.bench import BenchResult, BenchRow, below

MOST_PERCENT = 10.0
"""Of one core, for 300 agents at 1 Hz."""
START_SECONDS = 5.0
"""Chosen: imports, style sheet and first layout are over by then, on a busy machine too."""


def run(*, agents: int = 300, seconds: float = 20.0, columns: int = 200, rows: int = 60) -> BenchResult:
    """Run a dashboard of `agents`, then one without any, for `seconds` each."""
    busy = cpu_percent(agents=agents, records=30, seconds=seconds, columns=columns, rows=rows)
    idle = cpu_percent(agents=0, records=0, seconds=seconds, columns=columns, rows=rows)
    return BenchResult(
        "dash",
        (
            below(f"{agents} agents at 1 Hz", busy, "% CPU", MOST_PERCENT),
            BenchRow("no agents", idle, "% CPU"),
        ),
        f"{columns}×{rows} cells, a tenth of the agents and 30 records change every second, {seconds:g} s",
    )


def cpu_percent(*, agents: int, records: int, seconds: float, columns: int, rows: int) -> float:
    """CPU time of a dashboard's process per second of the clock, in percent of one core.

    Raises `RuntimeError` when it ends by itself.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    asked = ["--agents", str(agents), "--records", str(records)]
    process = subprocess.Popen(
        [sys.executable, "-m", "hive.dashboard.rehearsal", *asked],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        _drain(ours, process, START_SECONDS)
        before, started = _cpu_seconds(process), time.monotonic()
        _drain(ours, process, seconds)
        spent, passed = _cpu_seconds(process) - before, time.monotonic() - started
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return 100 * spent / passed


def _drain(terminal: int, process: subprocess.Popen[bytes], seconds: float) -> None:
    """Read what is drawn, as a terminal does: one that nobody reads blocks the program."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            return
        try:
            os.read(terminal, 1 << 16)
        except OSError:  # EIO: it has let go of its terminal, and is about to end
            process.wait(10)
            return


def _cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    if process.poll() is not None:
        raise RuntimeError(f"the dashboard ended by itself with exit code {process.returncode}")
    # proc(5): utime and stime are fields 14 and 15; the name in parentheses may hold blanks.
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
