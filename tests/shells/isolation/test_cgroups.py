"""Control groups of either version, on folders that look like the kernel's, and on this machine's own."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from hive.facts.isolation import Limits
from hive.shells.isolation.cgroups import ControlGroups, oom_kills

LIMITS = Limits(memory=1 << 30, cpus=1.5, processes=99)


def looks_like(folder: Path, own: str, *files: str) -> tuple[Path, Path]:
    """Roots of /sys/fs/cgroup and of /proc."""
    root, proc = folder / "cgroup", folder / "proc"
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text("")
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cgroup").write_text(own)
    return root, proc


def test_the_first_version_has_a_folder_for_each_controller(tmp_path: Path) -> None:
    names = ("memory", "cpu", "pids", "freezer")
    own = "4:memory:/outer\n3:cpu,cpuacct:/\n2:pids:/\n1:freezer:/\n"
    files = [f"{name}/cgroup.procs" for name in names]
    root, proc = looks_like(tmp_path, own, *files, "memory/outer/cgroup.procs")
    groups = ControlGroups(Path("/srv/hive"), root=root, proc=proc)
    assert groups.fault == ""
    folders = [Path(each) for each in groups.make("a", LIMITS)]
    assert [each.parent.parent for each in folders] == [
        root / "memory" / "outer",
        *(root / name for name in names[1:]),
    ]
    memory, cpu, pids, _ = folders
    assert (memory / "memory.limit_in_bytes").read_text() == str(1 << 30)
    assert (cpu / "cpu.cfs_quota_us").read_text() == "150000"
    assert (pids / "pids.max").read_text() == "99"
    assert groups.agents() == {"a"}


def test_the_second_version_has_one_folder_with_all_limits(tmp_path: Path) -> None:
    files = ("cgroup.controllers", "cgroup.procs", "cgroup.subtree_control")
    root, proc = looks_like(tmp_path, "0::/\n", *files)
    groups = ControlGroups(Path("/srv/hive"), root=root, proc=proc)
    (folder,) = map(Path, groups.make("a", LIMITS))
    assert folder.parent.parent == root
    values = [(folder / name).read_text() for name in ("memory.max", "cpu.max", "pids.max")]
    assert values == [str(1 << 30), "150000 100000", "99"]
    assert (root / "cgroup.subtree_control").read_text() == "+memory +cpu +pids"
    (folder / "memory.events").write_text("low 0\nhigh 0\noom 3\noom_kill 2\n")
    assert groups.out_of_memory("a") == 2


def test_a_machine_without_control_groups_is_told_in_one_line(tmp_path: Path) -> None:
    root, proc = looks_like(tmp_path, "", "memory/cgroup.procs")
    groups = ControlGroups(Path("/srv/hive"), root=root, proc=proc)
    assert groups.fault == f"no such control group hierarchy: {root}/cpu"
    assert groups.make("a", LIMITS) == ()


@pytest.mark.parametrize(
    ("text", "count"), [("oom_kill 4\n", 4), ("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", 1), ("", 0)]
)
def test_the_kernels_count_of_ends_for_want_of_memory_is_read(text: str, count: int) -> None:
    assert oom_kills(text) == count


def test_all_processes_of_a_group_end_at_once(tmp_path: Path) -> None:
    groups = ControlGroups(tmp_path)
    if groups.fault:
        pytest.skip(f"no control groups here: {groups.fault}")
    folders = groups.make("a", Limits(processes=50))
    with subprocess.Popen(["sh", "-c", "read x; sleep 60 & sleep 60"], stdin=subprocess.PIPE) as running:
        for folder in folders:
            (Path(folder) / "cgroup.procs").write_text(str(running.pid))
        assert running.stdin is not None
        running.stdin.write(b"\n")
        running.stdin.flush()
        assert groups.end("a")
        assert running.wait(10) == -signal.SIGKILL
    assert groups.of("a") == ()
    groups.close()
    assert not any(Path(folder).parent.exists() for folder in folders)
