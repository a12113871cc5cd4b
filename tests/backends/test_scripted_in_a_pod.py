"""The scripted agent in a pod's seat: sessions of the pod's first process, hive's door with TLS, no socket.

All but the cluster is real: what a command in the pod would do is done by a command on this machine.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from hive.contracts.backend import Launch
from hive.facts.agents import AgentSpec
from hive.facts.screens import ScreenState
from hive.gateway import pod_client_files
from hive.ports.kubernetes import Kubernetes
from hive.shells.kubernetes.seats import PodClient, PodSeats
from hive_backends.scripted import backend
from tests.backends.stage import SOURCES, Stage, prompt
from tests.decisions.worlds import spec
from tests.gateway.conftest import forge, place
from tests.gateway.place import AGENT, CREDENTIAL, REPO, Place, at_task, gh_programs
from tests.gateway.pod import IN_POD, POD_TOKEN, Pod, pod_in
from tests.shells.kubernetes.first_process import FirstProcess, namespace
from tests.shells.kubernetes.test_seats import POD, RunsHere

__all__ = ["forge", "place"]  # fixtures

BRANCH = "hive/quality/2-tests"


class PodStage(Stage):
    """The stage in a pod: the tmux server is the first process's, the program starts by the launcher."""

    def __init__(self, folder: Path, first: FirstProcess) -> None:
        super().__init__(folder)
        self.home = first.home
        self._socket = first.socket

    def begin(self, launch: Launch) -> None:
        """Start a session as hive does: no shell, and no more environment than the order's."""
        names = (word for pair in launch.environment.items() for word in ("-e", "=".join(pair)))
        path = f"PATH={launch.environment['PATH']}"
        self.tmux(
            *("new-session", "-d", "-s", "a", "-x", "100", "-y", "30", "-c", str(self.home / "work")),
            *(*names, "--", "/usr/bin/env", path, *launch.argv),
        )


@pytest.fixture
def pod(place: Place) -> Pod:
    made = pod_in(place)
    place.authority.identities[POD_TOKEN] = at_task(IN_POD, 2)
    return made


@pytest.fixture
def first(tmp_path: Path) -> Iterator[FirstProcess]:
    made = FirstProcess(tmp_path, own=namespace() or ())
    made.start()
    try:
        made.until_ready()
        yield made
    finally:
        made.close()


def seated(pod: Pod, first: FirstProcess, folder: Path, gh: Path | None = None) -> PodStage:
    """The agent, started in its pod."""
    url = pod.gateway.pods_url
    assert url is not None
    path = f"{gh.parent}:/usr/bin:/bin" if gh else "/usr/bin:/bin"

    def client(wanted: AgentSpec) -> PodClient:
        files, environment = pod_client_files(
            proxy_url=url,
            agent=wanted.name,
            repos=(REPO,),
            home=first.home,
            secret=pod.folder,
            path=path,
        )
        return PodClient(files, environment, str(first.home / ".config" / "hive" / "launch"))

    seats = PodSeats(
        find=lambda wanted: (cast(Kubernetes, RunsHere("/usr/bin:/bin")), POD),
        backends={"scripted": backend},
        client=client,
        at=str(first.home),
    )
    own = (
        ("HIVE_PYTHON", sys.executable),
        ("PYTHONPATH", f"{SOURCES / 'backends'}:{SOURCES}"),
        ("SCRIPTED_PACE", "0"),
        ("SCRIPTED_RETRY_SECONDS", "30"),
    )
    ready = seats.prepare(spec(AGENT, environment=own), generation=1, token="hive-token-of-this-machine")
    stage = PodStage(folder, first)
    stage.begin(ready.launch)
    return stage


def task(mode: str = "holdgated", text: str = "There are none.") -> str:
    return prompt(
        text,
        clone=f"https://github.com/{REPO}.git",
        mode=mode,
        issue=2,
        repository=REPO,
        title="no tests",
        branch=BRANCH,
    )


@pytest.mark.parametrize("version", sorted(gh_programs()))
def test_a_task_in_a_pod_becomes_a_pull_request(
    pod: Pod, first: FirstProcess, tmp_path: Path, version: str
) -> None:
    stage = seated(pod, first, tmp_path, gh_programs()[version])
    stage.submit(task())
    end = stage.until_end()
    assert end["outcome"] == "done", stage.plain()
    (pull,) = pod.pulls()
    assert (pull["title"], pull["head"], pull["base"]) == ("no tests", BRANCH, "main")


def test_a_finding_reaches_hive_from_a_pod(pod: Pod, first: FirstProcess, tmp_path: Path) -> None:
    stage = seated(pod, first, tmp_path)
    stage.submit(task("advisory"))
    assert stage.until_end()["outcome"] == "done", stage.plain()
    assert pod.pulls() == []


def test_what_no_agent_may_is_refused_in_a_pod_in_hives_words(
    pod: Pod, first: FirstProcess, tmp_path: Path
) -> None:
    stage = seated(pod, first, tmp_path)
    stage.submit(task(text="@script push-main"))
    end = stage.until_end()
    assert (end["outcome"], str(end["detail"]).startswith("git push: hive: ")) == ("refused", True)


def test_a_pods_token_that_is_another_one_by_now_is_read_anew(
    pod: Pod, first: FirstProcess, tmp_path: Path
) -> None:
    stage = seated(pod, first, tmp_path)
    stage.until_screen(ScreenState.READY)
    pod.authority.identities["renewed"] = pod.authority.identities.pop(POD_TOKEN)
    (pod.folder / "token").write_text("renewed\n")
    stage.submit(task("advisory"))
    assert stage.until_end()["outcome"] == "done", stage.plain()


def test_no_token_lies_in_the_pods_home_or_stands_on_a_command_line(
    pod: Pod, first: FirstProcess, tmp_path: Path
) -> None:
    stage = seated(pod, first, tmp_path)
    stage.submit(task(text="@script print-env"))
    stage.until_end()
    shown = stage.tmux("capture-pane", "-p", "-S", "-500", "-t", "=a:") + "\n".join(stage.lines())
    assert "HIVE_TOKEN=***" in shown
    lines = subprocess.run(("ps", "-eo", "args"), capture_output=True, text=True, check=True).stdout
    below = (path for path in first.home.rglob("*") if path.is_file() and not path.is_symlink())
    held = shown + lines + "".join(path.read_bytes().decode(errors="replace") for path in below)
    for token in (POD_TOKEN, CREDENTIAL, "hive-token-of-this-machine"):
        assert token not in held
