"""Nothing of a run is left on the machine: not after its end, and not after the death of who ran it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster import inventory, leftovers, machine, run, sysctls
from tests.cluster.file_lock import take
from tests.cluster.fixtures import had
from tests.cluster.inventory import Inventory
from tests.cluster.process import MARK
from tests.cluster.shared import Shared
from tests.shells.waiting import eventually

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]


@pytest.fixture
def node_possible(cluster_run: Shared) -> None:
    with had():
        machine.require_node()


@contextmanager
def serving(base: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that runs a member with a node, and the name of its run."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.cluster", "serve", "--members", "1", "--nodes", "1", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(base)},
    )
    assert child.stdin
    assert child.stdout
    try:
        line = child.stdout.readline()
        assert line, "it ended at its start; its complaint stands above"
        yield child, Path(json.loads(line)["folder"]).name
    finally:
        child.stdin.close()
        child.stdout.close()
        child.wait(timeout=60)


@pytest.fixture
def base() -> Iterator[Path]:
    """A place for runs of its own, so that no other run's reaper finds them. Short: sockets lie in it."""
    folder = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    yield folder
    for left in runs(folder).glob("hive-*"):
        leftovers.end(left)
    shutil.rmtree(folder)


def runs(base: Path) -> Path:
    return base / f"hive-cluster-{os.getuid()}"


def guardian_of(base: Path, name: str) -> int:
    """Its pid: the one process of the run that carries no mark, since it must not end itself."""
    wanted = f"tests.cluster.guardian\0{runs(base) / name}\0".encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().endswith(wanted):
                return int(entry.name)
        except OSError:
            continue
    raise AssertionError(f"{name} has no guardian")


def assert_there(found: Inventory, name: str) -> None:
    """The test would prove nothing if the run were not seen while it is there."""
    shown = {line.split()[1] for line in found.processes}
    assert {"etcd", "kube-apiserver", "kubelet", "containerd", "pause"} <= shown
    assert found.network_namespaces
    assert any(link.startswith(leftovers.link_prefix(name)) for link in found.links)
    assert any(path.endswith(name) for path in found.cgroups)
    assert any(path.endswith(name) for path in found.folders)


def assert_gone(before: Inventory, base: Path, name: str) -> None:
    eventually(lambda: not (runs(base) / name).exists(), within=60, what=f"the end of {name}")
    after = inventory.take(name, runs(base))
    assert after == before


def test_a_run_is_left_alone_while_its_owner_lives_and_ends_with_it(
    node_possible: None, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = inventory.take(None, runs(base))
    with serving(base, "--measure") as (child, name):
        monkeypatch.setattr(run, "base", lambda: runs(base))
        assert run.reap() == []
        assert_there(inventory.take(name, runs(base)), name)
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=60)
        assert inventory.take(name, runs(base)) == before


def test_a_run_whose_owner_was_killed_is_ended_by_its_guardian(node_possible: None, base: Path) -> None:
    before = inventory.take(None, runs(base))
    with serving(base) as (child, name):
        child.kill()
        assert_gone(before, base, name)


def test_a_run_whose_owner_and_guardian_were_killed_is_ended_by_the_next(
    node_possible: None, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = inventory.take(None, runs(base))
    with serving(base) as (child, name):
        os.kill(guardian_of(base, name), signal.SIGKILL)
        child.kill()
        child.wait(timeout=30)
        assert_there(inventory.take(name, runs(base)), name)
        monkeypatch.setattr(run, "base", lambda: runs(base))
        assert run.reap() == [name]
        assert_gone(before, base, name)


def test_a_guardian_whose_pipe_ends_before_its_owners_lock_waits_for_the_lock(tmp_path: Path) -> None:
    """The kernel gives back the files of a killed process one by one."""
    folder = tmp_path / "hive-0b0b0b"
    lock = take(folder / "lock")
    assert lock is not None
    guardian = subprocess.Popen(
        [sys.executable, "-m", "tests.cluster.guardian", str(folder)], stdin=subprocess.PIPE, cwd=ROOT
    )
    try:
        assert guardian.stdin
        guardian.stdin.close()
        waits = Path(f"/proc/{guardian.pid}/wchan")
        eventually(lambda: "lock" in waits.read_text(), within=60, what="the guardian's wait")
        assert folder.is_dir()
        os.close(lock)
        assert guardian.wait(timeout=60) == 0
        assert not folder.exists()
    finally:
        guardian.kill()
        guardian.wait()


def test_only_processes_that_carry_the_runs_own_mark_are_ended(tmp_path: Path) -> None:
    """Whatever number they have: one that the kernel gave to somebody else's process means nothing."""
    folder = tmp_path / "hive-0a0a0a"
    folder.mkdir()
    marks = {"own": str(folder), "other": f"{folder}1", "none": ""}
    started = {
        name: subprocess.Popen(["sleep", "600"], env={**os.environ, MARK: mark})
        for name, mark in marks.items()
    }
    try:
        leftovers.end(folder)
        assert started["own"].wait(timeout=10) == -signal.SIGKILL
        assert (started["other"].poll(), started["none"].poll()) == (None, None)
    finally:
        for process in started.values():
            process.kill()
            process.wait()


def test_settings_are_put_back_when_the_last_run_that_changed_them_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysctls, "MACHINE", tmp_path / "machine")
    monkeypatch.setattr(sysctls, "_PROC", tmp_path / "proc")
    panic = tmp_path / "proc" / "kernel" / "panic"
    panic.parent.mkdir(parents=True)
    panic.write_text("0\n")
    first, second = tmp_path / "first", tmp_path / "second"
    for run_folder in (first, second):
        run_folder.mkdir()
        sysctls.keep(run_folder)
        panic.write_text("10\n")
    sysctls.restore(first)
    assert panic.read_text() == "10\n"
    sysctls.restore(second)
    assert panic.read_text() == "0"


def test_a_run_that_vanished_does_not_keep_the_settings_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysctls, "MACHINE", tmp_path / "machine")
    monkeypatch.setattr(sysctls, "_PROC", tmp_path / "proc")
    panic = tmp_path / "proc" / "kernel" / "panic"
    panic.parent.mkdir(parents=True)
    panic.write_text("0\n")
    present = tmp_path / "present"
    present.mkdir()
    sysctls.keep(tmp_path / "vanished")
    sysctls.keep(present)
    panic.write_text("10\n")
    sysctls.restore(present)
    assert panic.read_text() == "0"
