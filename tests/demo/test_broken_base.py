"""A merge that breaks its base: merging stops, the merge is undone, and goes on once the base is green."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hive.demo.daemon import DemoDaemon
from hive.demo.world import Wishes
from hive.facts.events import Event, MergeChecked, MergingHeld, MergingReleased, PullRequestJudged
from hive.facts.need_events import NeedRaised
from tests.demo.worlds import demo, issues_file, pulls, records, until, until_settled

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MAIL = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
TOKEN = "ada-tests-at-night-0123456789"
FIRST, SECOND = "Explain the first", "Explain the second"


class House:
    """A hive at L6, and a person whose own checks run on the base alone."""

    def __init__(self, daemon: DemoDaemon) -> None:
        self.daemon = daemon
        self.held: Mapping[str, Any] = {}

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """As ada, by the forge's own interface."""
        world = self.daemon.world
        request = urllib.request.Request(
            f"{world.forge.api_url}/repos/{world.repository}/{path}",
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def tip(self) -> str:
        return str(self.ask("branches/main")["commit"]["sha"])

    def report(self, sha: str, state: str) -> None:
        self.ask(f"statuses/{sha}", {"state": state, "context": "nightly"})

    def pull(self, title: str) -> Mapping[str, Any] | None:
        return next((one for one in pulls(self.daemon.world) if one["title"] == title), None)

    def is_merged(self, title: str) -> bool:
        found = self.pull(title)
        return found is not None and bool(found["merged"])

    def events(self, kind: type[Event]) -> list[Any]:
        return [record.event for record in records(self.daemon) if isinstance(record.event, kind)]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The first merge breaks the base; the second pull request comes while merging is on hold."""
    folder = tmp_path_factory.mktemp("broken-base")
    wishes = Wishes(
        level=6,
        agents=1,
        repo=_repository(folder / "counting"),
        issues=issues_file(folder, {FIRST: "There is no explanation."}),
        check="true",
        people={"ada": TOKEN},
    )
    with demo(folder / "world", wishes) as daemon:
        found = House(daemon)
        daemon.start()
        until(lambda: found.is_merged(FIRST), "the first merge")
        found.report(found.tip(), "failure")
        until(lambda: found.is_merged(f'Revert "{FIRST}"'), "the merge of the revert")
        found.ask("issues", {"title": SECOND, "body": "There is no explanation either."})
        until(lambda: _waits(found), "a second pull request that waits")
        found.held = until_settled(daemon)
        assert not found.is_merged(SECOND)
        found.report(found.tip(), "success")
        until(lambda: found.is_merged(SECOND), "the second merge")
        yield found


def _repository(path: Path) -> Path:
    path.mkdir()
    (path / "count.txt").write_text("one\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all of it"]):
        subprocess.run(["git", *MAIL, *arguments], cwd=path, check=True)
    return path


def _waits(house: House) -> bool:
    """Whether nothing but the hold keeps the second pull request from being merged."""
    pull = house.pull(SECOND)
    if pull is None:
        return False
    judged = [one for one in house.events(PullRequestJudged) if one.number == pull["number"]]
    return bool(judged) and [code for code, _, _ in judged[-1].obstacles] == ["merging-held"]


def test_the_merge_is_blamed_and_merging_held_until_the_base_is_green(house: House) -> None:
    first = house.pull(FIRST)
    assert first is not None
    [red] = [one for one in house.events(MergeChecked) if one.outcome == "red"]
    assert (red.number, red.failed) == (first["number"], ("nightly",))
    [held], [released] = house.events(MergingHeld), house.events(MergingReleased)
    assert (held.number, held.by) == (first["number"], "")
    assert held.because == f"main is broken since #{first['number']} was merged: nightly failed"
    assert released.because == f"main is green again at {released.because[-12:]}"


def test_it_is_undone_once_and_the_base_is_as_it_was(house: House) -> None:
    reverts = [one for one in pulls(house.daemon.world) if one["title"].startswith("Revert")]
    assert [one["merged"] for one in reverts] == [True]
    assert len(house.ask("contents/notes")) == 1  # of the second one alone


def test_a_person_is_told_while_it_lasts_and_in_the_status(house: House) -> None:
    assert [one["because"] for one in house.held["merging"]] == [house.events(MergingHeld)[0].because]
    needs = [one for one in house.events(NeedRaised) if one.key.startswith("merging/")]
    assert len(needs) == 1
    until(lambda: not (house.daemon.status() or {"merging": True})["merging"], "a status without the hold")
