"""An operator's own cluster goes before one that is started, and what is missing is said in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster import images, machine
from tests.cluster.fixtures import had
from tests.cluster.given import Cluster, cluster
from tests.cluster.node import Node
from tests.cluster.serve import Wanted
from tests.cluster.unavailable import Unavailable

ROOT = Path(__file__).parents[2]
WANTED = Wanted(("a", "b", "c"), 1, None, "nvidia.com/gpu", 2, "NVIDIA-L4", 24000, measure=False)


def none_here() -> Node:
    raise Unavailable("a test node needs root")


def test_a_cluster_that_is_given_is_used_and_nothing_is_started(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.touch()
    given = {"HIVE_TEST_KUBECONFIG": str(path)}
    assert cluster(none_here, given) == Cluster(path, images.AGENT, None)
    assert cluster(none_here, {**given, "HIVE_TEST_IMAGE": "own:1"}) == Cluster(path, "own:1", None)


def test_a_kubeconfig_that_is_not_there_is_named_and_not_passed_over() -> None:
    with pytest.raises(Unavailable, match=r"HIVE_TEST_KUBECONFIG is /no/where, which is no file: correct it"):
        cluster(none_here, {"HIVE_TEST_KUBECONFIG": "/no/where"})


def test_what_cannot_be_had_is_a_skip_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"^a test node needs root$"), had():
        none_here()


def test_what_cannot_be_had_is_a_failure_on_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=r"^CI=true, and a test node needs root$"), had():
        none_here()


def test_a_machine_without_the_programs_of_a_node_is_told_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match=r"lacks containerd, ctr, .*: run scripts/cluster-packages"):
        machine.require_node()


def test_an_ordinary_user_is_told_that_a_node_needs_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(Unavailable, match="needs root"):
        machine.require_node()


def test_the_member_with_gpus_is_among_those_that_have_a_node() -> None:
    with_gpu = Wanted(("a", "b", "c"), 2, "c", "nvidia.com/gpu", 2, "NVIDIA-L4", 24000, measure=False)
    assert (WANTED.noded(), with_gpu.noded()) == (("a",), ("a", "c"))


def test_gpus_for_a_member_that_is_not_there_are_refused_before_anything_starts() -> None:
    argv = [sys.executable, "-m", "tests.cluster", "serve", "--members", "2", "--gpu-member", "gpu"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "cluster: --gpu-member gpu is none of the members: member-1, member-2\n",
    )
