"""Many checks at once: each has a deadline, and none hides another."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.app.doctor.examination import Check, examine
from hive.app.doctor.machine import look_at_state, said_by
from hive.decisions.doctor.finding import Finding, State, ok
from hive.errors import ConfigError, Unreachable


def test_a_check_that_fails_or_hangs_hides_no_other_and_nothing_that_it_found_before() -> None:
    never = threading.Event()

    def hangs() -> Iterator[Finding]:
        yield ok("hangs", "began well")
        never.wait()

    def breaks() -> Iterator[Finding]:
        yield ok("breaks", "began well")
        raise KeyError("a secret")

    def refuses() -> Iterator[Finding]:
        yield from ()
        raise Unreachable("forge", "the connection failed")

    def misreads() -> Iterator[Finding]:
        yield from ()
        raise ConfigError("no such context", source="kube")

    checks = [
        Check("hangs", hangs),
        Check("breaks", breaks),
        Check("refuses", refuses),
        Check("misreads", misreads),
        Check("works", lambda: [ok("works", "yes")]),
    ]
    found = examine(checks, patience=0.5)
    never.set()
    assert [(each.name, each.state, each.found) for each in found] == [
        ("hangs", State.OK, "began well"),
        ("hangs", State.PROBLEM, "no answer in time"),
        ("breaks", State.OK, "began well"),
        ("breaks", State.PROBLEM, "the check itself failed: KeyError"),
        ("refuses", State.PROBLEM, "the connection failed"),
        ("misreads", State.PROBLEM, "kube: no such context"),
        ("works", State.OK, "yes"),
    ]
    assert all(each.remedy for each in found if each.state is State.PROBLEM)


def test_a_state_folder_that_is_not_there_is_judged_by_the_one_above_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    seen = look_at_state(tmp_path / "a" / ".hive")
    assert (seen.seen, seen.mode, seen.is_writable) == (str(tmp_path), None, True)
    assert (seen.wal_fault, seen.socket_fault) == ("", "")
    assert [*tmp_path.iterdir()] == []


def test_a_state_folder_that_is_there_is_looked_at_itself(tmp_path: Path) -> None:
    folder = tmp_path / ".hive"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    assert look_at_state(folder).mode == 0o755
    file = tmp_path / "file"
    file.write_text("")
    assert look_at_state(file / ".hive").is_folder is False


def test_sockets_of_a_folder_with_a_long_path_lie_elsewhere_and_still_work(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    seen = look_at_state(folder)
    assert seen.sockets_moved
    assert seen.socket_fault == ""


def test_a_program_that_says_nothing_or_is_not_there_is_no_failure(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 3\n")
    silent.chmod(0o755)
    assert said_by(str(silent)) == "does not run: exit code 3"
    assert said_by(f"{os.fspath(tmp_path)}/none") is None


def test_a_program_that_does_not_end_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\nsleep 600 &\necho $! $$ > {pids}\nwait\n")
    slow.chmod(0o755)
    with pytest.raises(Unreachable, match="did not answer '--version' within"):
        said_by(str(slow), "--version", timeout=2.0)
    until = time.monotonic() + 10
    while any(_runs(int(each)) for each in pids.read_text().split()):
        assert time.monotonic() < until
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
