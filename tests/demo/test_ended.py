"""A demo that is asked to end leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hive.app.places import Places
from tests.demo.worlds import issues_file, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SLOW = {f"Slow note {number}": "Write it down.\n\n@script slow 60" for number in range(1, 3)}


def processes_of(worlds: Path) -> dict[int, str]:
    """What runs with a folder of the worlds in its arguments or environment."""
    folders = [worlds, *(Places(world / "state").sockets for world in worlds.glob("hive-demo-*"))]
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                told = (entry / "cmdline").read_bytes() + b"\0" + (entry / "environ").read_bytes()
            except OSError:
                continue
            if any(os.fsencode(folder) in told for folder in folders):
                found[int(entry.name)] = told.partition(b"\0\0")[0].decode(errors="replace")
    return found


def test_a_demo_that_is_asked_to_end_takes_its_daemon_its_agents_and_its_tmux_server_with_it(
    tmp_path: Path,
) -> None:
    issues = issues_file(tmp_path, SLOW)
    worlds = tmp_path / "worlds"
    worlds.mkdir()
    demo = subprocess.Popen(
        [sys.executable, "-m", "hive.cli", "demo", "--level", "5", "--agents", "2", "--issues", str(issues)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": os.fspath(worlds)},
        start_new_session=True,
    )
    try:
        until(lambda: len(sessions(worlds)) == 2, "two agents at work", 90.0)
        demo.terminate()
        assert demo.wait(60) == 128 + signal.SIGTERM
        (world,) = worlds.iterdir()
        until(lambda: not processes_of(worlds), "the end of all its processes", 60.0)
        assert not Places(world / "state").sockets.exists()
    finally:
        for pid in {demo.pid, *processes_of(worlds)}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        demo.wait()


def sessions(worlds: Path) -> set[str]:
    """The agents' sessions in the tmux server of the only world."""
    for world in worlds.glob("hive-demo-*"):
        socket = Places(world / "state").tmux_socket
        listed = subprocess.run(
            ["tmux", "-S", os.fspath(socket), "list-sessions", "-F", "#{session_name}"],
            capture_output=True,
            text=True,
            check=False,
        )
        return set(listed.stdout.split()) - {"hive-control"}
    return set()
