"""Nothing outlives its session: not a grandchild, not a daemon, not one that ignores signals."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from hive.errors import Unreachable
from hive.shells.tmux import TmuxTerminal
from tests.shells.tmux.conftest import order
from tests.shells.waiting import eventually

# Each notes its pid in a file of its own, and sleeps.
FAMILY = """
import os, signal, sys, time
folder = sys.argv[1]
def sleep(name):
    open(os.path.join(folder, name), "w").write(str(os.getpid()))
    time.sleep(1000)
def child(name, *, setsid=False, ignoring=False, twice=False):
    if os.fork() == 0:
        if setsid:
            os.setsid()
        if twice and os.fork():
            os._exit(0)
        if ignoring:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
        sleep(name)
child("child")
child("deaf", ignoring=True)
child("session", setsid=True)
child("daemon", setsid=True, twice=True)
child("deaf-daemon", setsid=True, twice=True, ignoring=True)
sleep("self")
"""
NAMES = ("child", "deaf", "session", "daemon", "deaf-daemon", "self")


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def pids(folder: Path) -> dict[str, int]:
    found = {path.name: path.read_text() for path in folder.iterdir()}
    return {name: int(text) for name, text in found.items() if text}


@pytest.fixture
def family(terminal: TmuxTerminal, tmp_path: Path) -> dict[str, int]:
    """Pids of a program and all that it started, in session `hive-a`."""
    folder = tmp_path / "pids"
    folder.mkdir()
    terminal.create(order("hive-a", sys.executable, "-S", "-c", FAMILY, str(folder)))
    eventually(lambda: len(pids(folder)) == len(NAMES))
    return pids(folder)


def test_a_stop_leaves_no_survivor(terminal: TmuxTerminal, family: dict[str, int]) -> None:
    terminal.create(order("hive-ab", "cat"))
    neighbour = next(pane.pid for pane in terminal.look() if pane.name == "hive-ab")
    terminal.stop("hive-a")
    assert {name for name, pid in family.items() if lives(pid)} == set()
    assert [(pane.name, pane.dead) for pane in terminal.look()] == [("hive-ab", False)]
    assert lives(neighbour)


def test_a_stop_finds_what_a_dead_program_left_behind(terminal: TmuxTerminal, family: dict[str, int]) -> None:
    os.kill(family["self"], signal.SIGKILL)
    eventually(lambda: terminal.look()[0].dead)
    assert lives(family["deaf-daemon"])
    terminal.stop("hive-a")
    assert {name for name, pid in family.items() if lives(pid)} == set()


def test_a_stopped_process_is_ended_too(terminal: TmuxTerminal, family: dict[str, int]) -> None:
    for name in ("self", "daemon"):
        os.kill(family[name], signal.SIGSTOP)
    terminal.stop("hive-a")
    assert {name for name, pid in family.items() if lives(pid)} == set()


def test_a_willing_program_is_not_kept_waiting(terminal: TmuxTerminal) -> None:
    terminal.create(order("hive-a", "cat"))
    start = time.monotonic()
    terminal.stop("hive-a")
    assert time.monotonic() - start < 0.5


def test_a_look_that_fails_does_not_keep_the_session(
    terminal: TmuxTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.create(order("hive-a", "cat"))

    def fails(_self: TmuxTerminal, _name: str, _identity: str) -> None:
        raise Unreachable("terminal", "the look failed")

    with monkeypatch.context() as patch:
        patch.setattr(TmuxTerminal, "_pane", fails)
        with pytest.raises(Unreachable, match="the look failed"):
            terminal.stop("hive-a")
    assert terminal.look() == ()
    terminal.create(order("hive-a", "cat"))
    assert [pane.name for pane in terminal.look()] == ["hive-a"]
