"""Two hives as two daemons on one repository: no issue is done twice, what a dead one left is taken over."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from hive.demo.daemon import DemoDaemon
from hive.demo.run import repository_state
from hive.demo.world import DemoWorld, Wishes
from hive.shells.system.clock import SystemClock
from hive.shells.system.files import private_folder, write_private
from tests.demo.worlds import demo, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

TOKENS = {name: f"{name}-shares-the-work-0123456789" for name in ("one", "two")}
ACCOUNTS = {f"hive-{name}": token for name, token in TOKENS.items()}
ISSUES = {f"Explain part {number}" for number in range(1, 5)}
LEFT, HELD = "Explain what a dead hive left", "Explain what another hive has"


@dataclass
class Pair:
    """Two daemons that share a repository under the names one and two."""

    one: DemoDaemon
    two: DemoDaemon

    def titles(self) -> Counter[str]:
        return Counter(pull["title"] for pull in repository_state(self.one.world)["pulls"])

    def running(self) -> None:
        for daemon in (self.one, self.two):
            assert daemon.is_running(), daemon.last_words()

    def most_done(self) -> bool:
        """Not all: of two who reach for an issue in the same second both leave it for ten minutes."""
        self.running()
        return LEFT in self.titles() and len(self.titles()) >= len(ISSUES)


def shared(world: DemoWorld, folder: Path, name: str) -> DemoWorld:
    """The same forge and repository for another hive, with a folder and state of its own."""
    private_folder(folder)
    settings: dict[str, Any] = yaml.safe_load(world.config.read_text())
    settings["claims"] = {"name": name, "expires": "6h"}
    write_private(folder / "token", TOKENS[name].encode())
    settings["github"]["token_file"] = str(folder / "token")
    settings["agents"] = [
        {**agent, "name": f"{name}-{number}"} for number, agent in enumerate(settings["agents"])
    ]
    config = folder / "hive.yaml"
    write_private(config, yaml.safe_dump(settings, sort_keys=False).encode())
    return DemoWorld(folder, config, world.repository, world.forge)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Both work through the issues; one of them is killed in the middle, and starts again."""
    folder = tmp_path_factory.mktemp("two-hives")
    wishes = Wishes(
        level=5, agents=1, repo=_repository(folder), issues=_issues(folder), check="true", people=ACCOUNTS
    )
    with demo(folder / "world", wishes) as daemon, ExitStack() as stack:
        one, two = (DemoDaemon(shared(daemon.world, folder / name, name)) for name in ("one", "two"))
        stack.callback(one.stop)
        stack.callback(two.stop)
        found = Pair(one, two)
        one.start()
        until(lambda: LEFT in found.titles(), "the take-over of what a dead hive left")
        two.start()
        until(lambda: len(found.titles()) >= 2, "another pull request")
        one.kill()
        one.start()
        until(found.most_done, "a pull request for most issues")
        yield found


def _issues(folder: Path) -> Path:
    """Two bear labels of other hives: one is over, the other is not. They come first by age."""
    now = SystemClock().now()
    labels = {LEFT: ("hive:gone", now - timedelta(hours=7)), HELD: ("hive:alive", now - timedelta(hours=1))}
    begun = (now - timedelta(days=1)).isoformat()
    issues: list[dict[str, Any]] = [
        {"title": title, "created_at": begun, "labels": [{"name": name, "at": at.isoformat()}]}
        for title, (name, at) in labels.items()
    ]
    path = folder / "issues.json"
    path.write_text(json.dumps({"issues": [*issues, *({"title": title} for title in sorted(ISSUES))]}))
    return path


def _repository(folder: Path) -> Path:
    path = folder / "counting"
    path.mkdir()
    (path / "count.txt").write_text("one\n")
    mail = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all of it"]):
        subprocess.run(["git", *mail, *arguments], cwd=path, check=True)
    return path


def test_no_issue_is_done_twice_though_one_hive_was_killed(pair: Pair) -> None:
    """What a dead hive left long ago is taken over; what a living one has stays with it."""
    assert set(pair.titles().values()) == {1}
    assert set(pair.titles()) <= {*ISSUES, LEFT}


def test_no_hive_takes_the_other_for_an_incident(pair: Pair) -> None:
    def incidents() -> list[Any] | None:
        found = [daemon.status() for daemon in (pair.one, pair.two)]
        return [one["incidents"] for one in found if one] if all(found) else None

    assert until(incidents, "the status of both") == [[], []]
