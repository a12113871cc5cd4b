"""Tokens that end, as those of GitHub Apps do: renewed once; what may have happened is not said twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from hive.gateway import Gateway
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import CREDENTIAL, REPO, TOKEN, Place, identity, settings_for

STALE, BAD = "ghs_which-ended-early", "ghs_which-the-forge-never-takes"
ISSUE = json.dumps({"title": "Found", "body": "See."})


@dataclass
class Tokens:
    """Attributes:
    good: By repository in lower case; what is given for any other is never accepted.
    stale: Repositories whose kept token has ended, though it should not have by its own time.
    asked, refused: What the gateway wanted and reported, in order.
    """

    good: dict[str, str] = field(default_factory=lambda: {REPO: CREDENTIAL})
    stale: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def of(self, repo: str) -> str:
        self.asked.append(repo)
        return STALE if repo.casefold() in self.stale else self.good.get(repo.casefold(), BAD)

    def end(self, token: str) -> None:
        self.refused.append(token)
        if token == STALE:
            self.stale.clear()


@pytest.fixture
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture
def desk(tmp_path: Path, forge: StandInProcess, tokens: Tokens) -> Iterator[Place]:
    """A place whose gateway has a token for each repository, and none that is good for all."""
    authority = FakeAuthority({TOKEN: identity()})
    settings = replace(
        settings_for(tmp_path, forge),
        credential=lambda: CREDENTIAL,
        credential_of=tokens.of,
        refused=tokens.end,
        default_branches={REPO: "main"},
    )
    made = Place(tmp_path, forge, authority, settings, Gateway(settings, authority, SystemClock()))
    made.gateway.start()
    made.equip()
    try:
        yield made
    finally:
        made.gateway.close()


def requests(desk: Place, route: str) -> int:
    """How often the forge was asked so, whatever it answered."""
    return sum(n for name, n in desk.forge.state()["requests"].items() if name == route)


def issues(desk: Place) -> list[str]:
    return [one["title"] for one in desk.forge.state()["repositories"][REPO]["issues"]]


def test_a_read_that_an_ended_token_is_refused_is_asked_again_once_with_a_new_one(
    desk: Place, tokens: Tokens
) -> None:
    tokens.stale = {REPO}
    assert desk.api("GET", f"/repos/{REPO}/issues/1")[0] == 200
    assert (tokens.refused, set(tokens.asked)) == ([STALE], {REPO})
    assert desk.api("GET", f"/repos/{REPO}/issues/2")[0] == 200
    assert tokens.refused == [STALE]


def test_a_token_that_is_refused_again_is_passed_on_as_it_is_and_asked_for_no_third_time(
    desk: Place, tokens: Tokens
) -> None:
    tokens.good = {}
    status, value = desk.api("GET", f"/repos/{REPO}/issues/1")
    assert (status, value["message"]) == (401, "Bad credentials")
    assert tokens.refused == [BAD]
    assert "ghs_" not in json.dumps(value)


def test_a_write_that_was_refused_for_its_token_is_done_once_with_a_new_one(
    desk: Place, tokens: Tokens
) -> None:
    """Who is not let in has done nothing, so that this alone may be sent a second time."""
    tokens.stale = {REPO}
    assert desk.api("POST", f"/repos/{REPO}/issues", ISSUE)[0] == 201
    assert tokens.refused == [STALE]
    assert issues(desk) == ["area adds", "no tests", "Found"]


@pytest.mark.parametrize("trouble", ["reset", "drop-after-write", "500", "503", "secondary-limit:1"])
def test_a_write_that_may_have_happened_is_never_sent_twice_and_renews_nothing(
    desk: Place, tokens: Tokens, trouble: str
) -> None:
    number = desk.good_api("POST", f"/repos/{REPO}/issues", ISSUE)["number"]
    route = f"/repos/{REPO}/issues/{number}$"
    desk.forge.fault(trouble, method="PATCH", path=route, times=1)
    status, _ = desk.api("PATCH", f"/repos/{REPO}/issues/{number}", '{"state": "closed"}')
    closed = [one for one in desk.forge.audit() if one["what"] == "issue.close"]
    assert status >= 400
    assert len(closed) == (trouble == "drop-after-write")
    assert tokens.refused == []


def test_a_push_bears_the_token_of_its_own_repository(desk: Place, tokens: Tokens) -> None:
    desk.check_out()
    desk.commit("hive/quality/1", {"widgets.py": "changed\n"})
    assert desk.push("HEAD").returncode == 0
    assert set(tokens.asked) == {REPO}
    assert "refs/heads/hive/quality/1" in desk.branches()


def test_what_another_repositorys_token_could_do_is_not_done_with_it(desk: Place, tokens: Tokens) -> None:
    """The token of one repository is never tried on another, however its name is written."""
    tokens.good = {"acme/other": CREDENTIAL}
    for path in (f"/repos/{REPO}/issues/1", f"/repos/{REPO.upper()}/issues/1"):
        assert desk.api("GET", path)[0] == 401, path
    assert desk.api("POST", f"/repos/{REPO}/issues", ISSUE)[0] == 401
    assert issues(desk) == ["area adds", "no tests"]
    assert {repo.casefold() for repo in tokens.asked} == {REPO}
