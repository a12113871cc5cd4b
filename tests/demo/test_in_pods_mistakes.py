"""What an operator got wrong about the fleet is told in one line where they look, and the others go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import kubeconfig
from tests.demo.pods_fleet import EAST, MEMBERS, WEST, PodsFleet
from tests.demo.pods_world import PodsHive, Settings, in_pods
from tests.demo.worlds import pulls, until

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(600)]

GOOD, NO_IMAGE, HOPELESS = "quality-1", "scanner-1", "ci-maintainer-1"
IMAGE = "127.0.0.1:1/hive-agent:missing"
"""Nobody listens at port 1 of the node."""
ISSUES = {"A note": "Write it down."}
GONE = "gone"


def mistaken(settings: Settings) -> None:
    """One image that cannot be pulled, and one wish that nobody ever grants."""
    _, second, third = settings["agents"]
    second["sandbox"]["parameters"] |= {"image": IMAGE, "image_pull_policy": "IfNotPresent"}
    third["sandbox"]["parameters"] |= {"cpu": "4000", "cpu_limit": "4000"}


def command(hive: PodsHive, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hive.cli", *words, "-c", os.fspath(hive.daemon.world.config)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "900"},  # wide enough for whole messages
    )


def line_of(hive: PodsHive, agent: str) -> str:
    """The agent's line of `hive status`."""
    shown = command(hive, "status").stdout.splitlines()
    return next((line for line in shown if line.startswith(agent)), "")


def phase_is(hive: PodsHive, agent: str, phase: str) -> Callable[[], bool]:
    return lambda: hive.sandbox(agent).get("phase") == phase


def test_each_mistake_is_told_in_one_line_and_the_others_go_on(tmp_path: Path, pods_fleet: PodsFleet) -> None:
    with in_pods(tmp_path, pods_fleet, ISSUES, agents=3, change=mistaken) as hive:
        hive.daemon.start()
        until(lambda: pulls(hive.daemon.world), "the pull request of the agent that is all right")
        until(phase_is(hive, NO_IMAGE, "failed"), "the image's absence told")
        until(phase_is(hive, HOPELESS, "pending"), "the hopeless wish told")

        image = hive.sandbox(NO_IMAGE)["message"]
        assert image.startswith(("ErrImagePull", "ImagePullBackOff"))
        assert IMAGE in image
        hopeless = hive.sandbox(HOPELESS)
        assert hopeless["message"].startswith("no cluster can ever serve it")
        assert set(hopeless["why"]) == set(MEMBERS)
        for agent, said in ((NO_IMAGE, IMAGE), (HOPELESS, "no cluster can ever serve it")):
            assert said in line_of(hive, agent)
            told = command(hive, "explain", agent)
            assert said in told.stdout
            assert (told.returncode, told.stderr) == (0, "")
        assert hive.is_ready(GOOD)


def with_a_cluster_that_is_not_there(fleet: PodsFleet, folder: Path) -> Callable[[Settings], None]:
    path = kubeconfig.write(
        folder / "kubeconfig",
        *(plane.context(fleet.relays[name].url()) for name, plane in fleet.planes.items()),
        kubeconfig.Context(GONE, "https://127.0.0.1:1", fleet.planes[EAST].ca, token="none"),
    )

    def change(settings: Settings) -> None:
        settings["fleet"] |= {"kubeconfig": os.fspath(path), "members": [*MEMBERS, GONE]}

    return change


def test_a_context_that_leads_nowhere_is_told_and_the_other_clusters_serve(
    tmp_path: Path, pods_fleet: PodsFleet
) -> None:
    change = with_a_cluster_that_is_not_there(pods_fleet, tmp_path)
    with in_pods(tmp_path, pods_fleet, ISSUES, change=change) as hive:
        hive.daemon.start()
        until(lambda: pulls(hive.daemon.world), "the pull request")
        shown = command(hive, "clusters")
        (away,) = (line for line in shown.stdout.splitlines() if line.startswith(f"! {GONE}"))
        assert "nobody answers at the server's address" in away
        assert (shown.returncode, shown.stderr) == (0, "")
        clusters: dict[str, Any] = {
            each["name"]: each for each in json.loads(command(hive, "clusters", "--json").stdout)["clusters"]
        }
        assert {name for name, each in clusters.items() if each["message"]} == {GONE}
        assert clusters[EAST]["available"] == clusters[WEST]["available"] == "True"
        assert GONE in command(hive, "explain", GOOD).stdout
