"""The scripted agent is light: hundreds of it idle on one machine."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.backends.stage import SOURCES, until

COMMAND = (sys.executable, "-m", "hive_backends.scripted_agent")


@contextmanager
def running(home: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The program in a pseudo terminal, once its composer is drawn."""
    master, slave = pty.openpty()
    environment = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": f"{SOURCES / 'backends'}:{SOURCES}",
        "LC_ALL": "C.UTF-8",
    }
    process = subprocess.Popen(
        COMMAND, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    try:
        read_until(master, b"enter to send")
        yield process, slave
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def read_until(descriptor: int, wanted: bytes) -> bytes:
    seen, deadline = b"", time.monotonic() + 20
    while wanted not in seen:
        assert select.select([descriptor], [], [], max(0, deadline - time.monotonic()))[0], seen
        seen += os.read(descriptor, 65536)
    return seen


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_at_rest(pid: int) -> bool:
    """Whether it sleeps, and slept through a quarter of a second."""
    before = wakeups(pid)
    select.select([], [], [], 0.25)
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "S" and wakeups(pid) == before


def test_idling_it_uses_no_processor_time_and_never_wakes(tmp_path: Path) -> None:
    with running(tmp_path) as (process, _):
        until(lambda: is_at_rest(process.pid), "it settles")
        before = (processor_seconds(process.pid), wakeups(process.pid))
        select.select([], [], [], 1.0)
        assert (processor_seconds(process.pid), wakeups(process.pid)) == before


def test_idling_it_is_one_thread_of_at_most_16_megabytes(tmp_path: Path) -> None:
    with running(tmp_path) as (process, _):
        status = Path(f"/proc/{process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        assert fields["Threads"].strip() == "1"
        assert int(fields["VmRSS"].split()[0]) <= 16 * 1024


def test_the_terminal_is_left_as_it_was_found(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    found = termios.tcgetattr(slave)
    os.close(master)
    os.close(slave)
    with running(tmp_path) as (process, terminal):
        assert termios.tcgetattr(terminal)[3] != found[3]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 128 + signal.SIGTERM
        assert termios.tcgetattr(terminal)[:4] == found[:4]


def test_without_a_terminal_it_says_so_in_one_line() -> None:
    environment = {"HOME": "/", "PYTHONPATH": str(SOURCES / "backends")}
    done = subprocess.run(
        COMMAND, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=30
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"scripted agent: it needs a terminal on its input and output\n"


def wakeups(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
