"""The process table as the kernel shows it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hive.contracts.backend import Process
from hive.shells.system.processes import ProcProcesses
from tests.shells.waiting import eventually

# A parent, a child and a grandchild, whose pids the parent tells.
FAMILY = """
import os, sys, time
inner = os.pipe()
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild == 0:
        time.sleep(1000)
    os.write(inner[1], str(grandchild).encode())
    time.sleep(1000)
print(child, os.read(inner[0], 99).decode(), flush=True)
time.sleep(1000)
"""


@pytest.fixture
def family() -> Iterator[tuple[int, int, int]]:
    argv = [sys.executable, "-S", "-c", FAMILY, "odd name) (", ""]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child, grandchild = map(int, parent.stdout.readline().split())
        try:
            yield parent.pid, child, grandchild
        finally:
            for pid in (grandchild, child, parent.pid):
                os.kill(pid, signal.SIGKILL)


def test_a_tree_is_the_root_and_all_below_it_parents_first(family: tuple[int, int, int]) -> None:
    parent, child, grandchild = family
    argv = (sys.executable, "-S", "-c", FAMILY, "odd name) (", "")
    seen = ProcProcesses().tree([parent, grandchild])
    assert {root: tuple(replace(one, cpu_s=0.0) for one in tree) for root, tree in seen.items()} == {
        parent: (
            Process(parent, os.getpid(), argv),
            Process(child, parent, argv),
            Process(grandchild, child, argv),
        ),
        grandchild: (Process(grandchild, child, argv),),
    }


def test_a_stopped_process_says_so(family: tuple[int, int, int]) -> None:
    _, child, grandchild = family
    os.kill(child, signal.SIGSTOP)
    eventually(lambda: ProcProcesses().tree([child])[child][0].stopped)
    assert [process.stopped for process in ProcProcesses().tree([child])[child]] == [True, False]
    assert ProcProcesses().tree([grandchild])[grandchild][0].pid == grandchild


def test_zombies_and_the_gone_are_left_out() -> None:
    with subprocess.Popen(["true"]) as ended:
        eventually(lambda: Path(f"/proc/{ended.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z")
        assert ProcProcesses().tree([ended.pid]) == {ended.pid: ()}
    assert ProcProcesses().tree([ended.pid, 0]) == {ended.pid: (), 0: ()}
    assert ended.pid not in [process.pid for process in ProcProcesses().tree([os.getpid()])[os.getpid()]]


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    program = tmp_path / "a) Z (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([str(program), "1000"]) as odd:
        eventually(lambda: ProcProcesses().tree([odd.pid])[odd.pid][0].argv[0] == str(program))
        assert ProcProcesses().tree([odd.pid])[odd.pid] == (
            Process(odd.pid, os.getpid(), (str(program), "1000")),
        )
        odd.kill()


def test_a_long_command_line_is_read_whole() -> None:
    words = [str(number) for number in range(30_000)]
    with subprocess.Popen([sys.executable, "-S", "-c", "input()", *words], stdin=subprocess.PIPE) as long:
        read = eventually(lambda: len(ProcProcesses().tree([long.pid])[long.pid][0].argv) > 10)
        assert read
        assert ProcProcesses().tree([long.pid])[long.pid][0].argv[4:] == tuple(words)
        long.kill()


def test_a_look_costs_less_than_a_tenth_of_a_millisecond_a_process() -> None:
    count = sum(name.isdigit() for name in os.listdir("/proc"))
    ProcProcesses().tree([os.getpid()])
    best = min(_timed() for _ in range(5))
    assert best < 0.002 + count * 0.0001


def _timed() -> float:
    start = time.process_time()
    ProcProcesses().tree([os.getpid()])
    return time.process_time() - start
