"""`hive demo --kubernetes` as a person runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster import binaries, machine
from tests.cluster.fixtures import had

DEMO = (sys.executable, "-m", "hive.cli", "demo")


def said(*arguments: str) -> tuple[int, str]:
    """Exit code and all that is said, of a demo that does not begin."""
    ran = subprocess.run([*DEMO, *arguments], capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize("option", ["--kubeconfig", "--image", "--address"])
def test_what_is_of_clusters_goes_with_kubernetes(option: str) -> None:
    assert said(option, "x") == (2, f"hive: {option} goes with --kubernetes\n")


def test_the_test_cluster_is_not_kept() -> None:
    assert said("--kubernetes", "--keep") == (
        2,
        "hive: --keep: the test cluster ends with the demo; leave it out, or give --kubeconfig\n",
    )


def test_an_existing_cluster_needs_an_image_that_it_can_pull(tmp_path: Path) -> None:
    code, line = said("--kubernetes", "--kubeconfig", str(tmp_path / "kubeconfig"))
    assert code == 2
    assert line.startswith("hive: --kubeconfig goes with --image REGISTRY/NAME:TAG")
    assert len(line.splitlines()) == 1


def test_a_kubeconfig_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    code, line = said("--kubernetes", "--kubeconfig", str(path), "--image", "example.org/agent:1")
    assert code == 2
    assert str(path) in line
    assert len(line.splitlines()) == 1


def test_a_kubeconfig_without_a_context_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config"}))
    code, line = said("--kubernetes", "--kubeconfig", str(path), "--image", "example.org/agent:1")
    assert (code, line) == (2, f"hive: {path} has no context\n")


def test_an_api_server_that_nobody_reaches_is_out_of_reach(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    cluster = {"name": "away", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": "away", "context": {"cluster": "away", "user": "nobody"}}
    user = {"name": "nobody", "user": {"token": "none"}}
    config = {"clusters": [cluster], "contexts": [context], "users": [user], "current-context": "away"}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", **config}))
    code, line = said("--kubernetes", "--kubeconfig", str(path), "--image", "example.org/agent:1")
    assert code == 3
    assert "away: " in line
    assert "nobody answers at the server's address" in line
    assert len(line.splitlines()) == 1


@pytest.mark.cluster
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_agents_are_placed_by_gpu_need_and_their_pull_requests_are_real() -> None:
    """On clusters of its own: a hub and two members, one of whose nodes offers GPUs.

    In the common temporary folder, where all test clusters of the machine agree on addresses.
    """
    with had():
        machine.require_node()
        binaries.ensure(print)
    ran = subprocess.run(
        [*DEMO, "--kubernetes", "--json", "--timeout", "400", "--level", "5"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    shutil.rmtree(Path(found["journal"]).parents[1])
    assert found["pull_requests"] == {"opened": 9, "held": 9, "merged": 0, "blocked": 0}
    assert found["issues"] == {"seen": 12, "eligible": 10, "done": 9}
    assert found["duplicates"] == 0
    placed = {each["agent"]: each for each in found["sandboxes"]}
    assert set(placed) == {"quality-1", "scanner-1", "ci-maintainer-1", "sec-check-1"}
    for agent in ("scanner-1", "sec-check-1"):  # every second one works on what needs a GPU
        assert placed[agent]["cluster"] == "west"
        assert placed[agent]["why"]["east"].startswith("not: ")
    for each in placed.values():
        assert each["node"] == f"{each['cluster']}-node"
        assert each["why"][each["cluster"]].startswith("chosen")
