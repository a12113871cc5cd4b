"""The lock on a state folder: one holder, dead ones give way, children do not keep it."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.errors import JournalError, StateLocked
from hive.shells.sqlite import StateLock
from tests.fakes.clock import FakeClock

HOLD = """
import sys
from pathlib import Path
from hive.shells.sqlite import StateLock
StateLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_the_second_is_refused_and_told_who_holds_it_since_when(folder: Path) -> None:
    clock = FakeClock(datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))
    with StateLock(folder, clock=clock), pytest.raises(StateLocked) as caught:
        StateLock(folder).acquire()
    assert str(caught.value) == (
        f"state folder {folder} is in use by hive process {os.getpid()} since 2026-03-04 05:06:07 UTC; "
        "stop it or choose another folder"
    )


def test_another_process_is_named_by_its_id(folder: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(StateLocked, match=rf"process {holder.pid} since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC"):
        StateLock(folder).acquire()


def test_a_killed_holder_gives_way_at_once(folder: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert str(holder.pid) in (folder / "hive.lock").read_text()
    with StateLock(folder) as lock:
        assert lock.is_held()


def test_a_living_process_with_the_dead_holders_id_does_not_count(folder: Path) -> None:
    folder.mkdir()
    (folder / "hive.lock").write_text(f'{{"pid": {os.getpid()}, "since": "2026-03-04T05:06:07Z"}}')
    with StateLock(folder) as lock:
        assert lock.is_held()


@pytest.mark.parametrize("content", ["", "not json", '{"pid": 1}'])
def test_a_holder_that_has_not_signed_yet_still_holds(folder: Path, content: str) -> None:
    with StateLock(folder):
        (folder / "hive.lock").write_text(content)
        with pytest.raises(StateLocked, match="in use by another hive process; stop it"):
            StateLock(folder).acquire()


def test_a_child_that_outlives_its_parent_does_not_keep_the_lock(folder: Path) -> None:
    # The child stands for the tmux server that hive starts: every descriptor that may be inherited is.
    script = (
        "import subprocess, sys; from pathlib import Path; from hive.shells.sqlite import StateLock\n"
        "StateLock(Path(sys.argv[1])).acquire()\n"
        "child = subprocess.Popen(['sleep', '300'], close_fds=False, stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True, check=True
    )
    child = int(done.stdout)
    try:
        os.kill(child, 0)
        with StateLock(folder) as lock:
            assert lock.is_held()
    finally:
        os.kill(child, signal.SIGKILL)


def test_releasing_frees_it_and_may_be_done_again(folder: Path) -> None:
    lock = StateLock(folder).acquire()
    assert lock.acquire() is lock
    lock.release()
    lock.release()
    assert not lock.is_held()
    with StateLock(folder), pytest.raises(StateLocked):
        lock.acquire()


def test_a_lock_whose_file_is_removed_is_no_longer_held(folder: Path) -> None:
    with StateLock(folder) as lock:
        (folder / "hive.lock").unlink()
        assert not lock.is_held()


def test_folder_and_file_are_private(folder: Path) -> None:
    with StateLock(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "hive.lock").stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "state"
    with pytest.raises(
        JournalError, match=rf"^state folder {re.escape(str(folder))} cannot be used: Not a directory;"
    ):
        StateLock(folder).acquire()


def test_a_link_in_place_of_the_lock_is_not_followed(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (folder / "hive.lock").symlink_to(victim)
    with pytest.raises(JournalError, match="cannot be used"):
        StateLock(folder).acquire()
    assert victim.read_text() == "precious"
