"""The real gh through the gateway, in both versions that people have."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.facts.autonomy import AcmmLevel
from hive.facts.events import PullRequestOpened
from tests.gateway.place import Place, gh_programs

BRANCH = "hive/quality/1-area"


@pytest.fixture(params=sorted(gh_programs()))
def gh(request: pytest.FixtureRequest) -> Path:
    return gh_programs()[request.param]


def ready(place: Place, gh: Path) -> None:
    place.equip(gh)
    place.check_out()
    place.commit(BRANCH, {"widgets.py": "def area(a, b):\n    return a * b\n"})
    assert place.push("HEAD").returncode == 0


def create(place: Place) -> str:
    return place.good(
        "gh", "pr", "create", "--head", BRANCH, "--base", "main", "--title", "Multiply", "--body", "Fixes #1"
    ).strip()


def test_a_held_pull_request_is_ready_and_carries_the_hold(place: Place, gh: Path) -> None:
    ready(place, gh)
    url = create(place)
    assert url == "https://github.com/acme/widgets/pull/3"
    [pull] = place.pulls()
    assert (pull["draft"], pull["labels"]) == (False, ["hold"])
    assert place.authority.events_of(PullRequestOpened) == [
        PullRequestOpened(repo="acme/widgets", number=3, agent="quality", head_ref=BRANCH, held=True)
    ]


def test_at_the_top_level_a_pull_request_is_not_held(place: Place, gh: Path) -> None:
    place.authority.level = AcmmLevel.L6
    ready(place, gh)
    create(place)
    [pull] = place.pulls()
    assert (pull["draft"], pull["labels"]) == (False, [])
    assert [event.held for event in place.authority.events_of(PullRequestOpened)] == [False]
