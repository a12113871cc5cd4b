"""A whole hive as a GitHub App, woken by deliveries alone: the poll is an hour away."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.demo.app_world import REPOS, AppHouse, app_house
from tests.demo.worlds import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppHouse]:
    """An issue in each repository was opened after the daemon had looked; each became a pull request."""
    with app_house(tmp_path_factory.mktemp("app") / "world", poll="1h") as found:
        found.daemon.start()
        found.hook()
        until(lambda: (found.daemon.status() or {}).get("settled"), "a hive that has looked and has no work")
        for repo in REPOS:
            found.ask(f"{repo}/issues", {"title": f"Explain {repo}", "body": "There is no explanation."})
        until(lambda: all(found.pulls(repo) for repo in REPOS), "a pull request in each repository")
        yield found


@pytest.mark.parametrize("repo", REPOS)
def test_an_issue_becomes_a_held_pull_request_by_the_app_of_each_installation(
    house: AppHouse, repo: str
) -> None:
    def held() -> list[bool]:
        return ["hold" in one["labels"] for one in house.pulls(repo) if one["title"] == f"Explain {repo}"]

    until(lambda: held() == [True], "one pull request, held")


def test_tokens_that_the_forge_ended_are_renewed_in_the_running_daemon(house: AppHouse) -> None:
    """The forge's clock goes on by more than a token lasts, and hive's does not: to each request the forge
    answers that nobody is known by this token. The issue is held, so that nobody acts by a clock so wrong."""
    made = _tokens_made(house)
    house.forge.control("POST", "/clock", {"advance": 3700})
    try:
        house.ask(f"{REPOS[1]}/issues", {"title": "Wait with it", "body": "", "labels": ["hold"]})
        until(lambda: "Wait with it" in _work(house), "a look under another token")
        assert _tokens_made(house) > made
    finally:
        house.forge.control("POST", "/clock", {"advance": -3700})


def _tokens_made(house: AppHouse) -> int:
    requests = house.forge.state()["requests"]
    return int(requests["POST /app/installations/{installation}/access_tokens"])


def _work(house: AppHouse) -> set[str]:
    return {one["title"] for one in (house.daemon.status() or {"work": []})["work"]}


def test_what_is_not_signed_or_was_delivered_before_is_refused_and_counted(house: AppHouse) -> None:
    before = house.webhooks()
    body = json.dumps({"action": "opened", "repository": {"full_name": REPOS[0]}}).encode()
    answers = [
        house.deliver(body, number="made-up-1"),
        house.deliver(body, number="made-up-1"),
        house.deliver(body, number="made-up-2", secret="somebody else's"),
    ]
    assert answers == [202, 409, 401]
    after = house.webhooks()
    refused = {kind: after[kind] - before[kind] for kind in ("unsigned", "repeated")}
    assert refused == {"unsigned": 1, "repeated": 1}


def test_deliveries_that_were_lost_while_the_daemon_was_down_are_made_up_by_a_look(house: AppHouse) -> None:
    house.daemon.kill()
    try:
        house.ask(f"{REPOS[0]}/issues", {"title": "Explain what was lost", "body": "Nobody heard."})
    finally:
        house.daemon.start()
    try:
        # No repository delivers to the new address yet: the look at the start is all there is.
        until(
            lambda: [one for one in house.pulls(REPOS[0]) if one["title"] == "Explain what was lost"],
            "a pull request for the issue that nobody heard of",
        )
    finally:
        house.hook()
