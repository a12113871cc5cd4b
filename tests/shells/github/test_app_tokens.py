"""Hive as a GitHub App: who it is, what it reaches, and tokens that never end in its hands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hive.decisions.doctor.finding import State
from hive.decisions.doctor.forge import app_finding
from hive.errors import Refused, Unreachable
from hive.facts.actors import ActorKind
from hive.shells.github.app_tokens import AppTokens
from hive.shells.github.installations import InstalledForge
from hive.standins.github import apps
from hive.standins.github.records_access import App, Installation
from tests.standins.github.harness import World, serve, write_seed

REPO = "o/r"
GRANTED = {
    "administration": "read",
    "checks": "read",
    "contents": "write",
    "issues": "write",
    "members": "read",
    "pull_requests": "admin",
    "statuses": "read",
}


@dataclass
class Stage:
    """Attributes:
    ahead: By how much hive's clock is ahead of GitHub's.
    """

    world: World
    app: App
    key: str
    installation: Installation
    ahead: timedelta = field(default_factory=timedelta)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.world.forge.clock.epoch(), UTC) + self.ahead

    def tokens(self, key: str | None = None) -> AppTokens:
        url = f"http://127.0.0.1:{self.world.port}/api/v3"
        return AppTokens(url, str(self.app.id), lambda: key or self.key, self.now)

    def later(self, minutes: float) -> None:
        self.world.forge.clock.advance(minutes * 60)

    def made(self) -> int:
        return len(list(self.world.forge.store.tokens))


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with serve(tmp_path / "root", write_seed(tmp_path)) as world:
        forge = world.forge
        with forge.transaction():
            owner = forge.account("o")
            assert owner is not None
            app, key = apps.register(forge, "hive-app", owner=owner, permissions=GRANTED)
            installed = apps.install(forge, app, owner)
        yield Stage(world, app, key, installed)


def test_a_token_has_what_hive_needs_of_what_the_app_has_and_no_more(stage: Stage) -> None:
    assert stage.tokens().token(REPO).startswith("ghs_")
    [made] = stage.world.forge.store.tokens
    assert made.permissions == {
        "administration": "read",
        "checks": "read",
        "contents": "write",
        "issues": "write",
        "metadata": "read",
        "pull_requests": "write",
        "statuses": "read",
    }


def test_a_token_is_renewed_ten_minutes_before_its_end(stage: Stage) -> None:
    tokens = stage.tokens()
    first = tokens.token(REPO)
    stage.later(49)
    assert (tokens.token(REPO), stage.made()) == (first, 1)
    stage.later(2)
    assert (tokens.token(REPO) != first, stage.made()) == (True, 2)


def test_one_that_is_still_good_is_used_where_no_new_one_is_to_be_had(stage: Stage) -> None:
    tokens = stage.tokens()
    first = tokens.token(REPO)
    stage.later(55)
    fault = {"match": {"path": "/access_tokens$"}, "do": "502", "times": 2}
    stage.world.control("POST", "/faults", fault)
    assert tokens.token(REPO) == first
    stage.later(6)
    with pytest.raises(Unreachable):
        tokens.token(REPO)
    assert tokens.token(REPO) != first


@pytest.mark.parametrize("ahead", [timedelta(minutes=9), timedelta(minutes=-40)])
def test_a_clock_that_is_wrong_is_put_right_by_githubs(stage: Stage, ahead: timedelta) -> None:
    stage.ahead = ahead
    tokens = stage.tokens()
    first = tokens.token(REPO)
    stage.later(49)
    assert tokens.token(REPO) == first
    stage.later(2)
    assert tokens.token(REPO) != first


def test_where_it_is_not_installed_and_where_its_key_is_not_accepted_it_says_what_to_do(stage: Stage) -> None:
    with pytest.raises(Refused, match="is not installed on o/other: its owner has to install it there"):
        stage.tokens().token("o/other")
    _, another = apps.new_key()
    with pytest.raises(Refused, match=r"key is not accepted: check github\.app"):
        stage.tokens(another).token(REPO)
    with pytest.raises(Refused, match="holds no private key in PEM"):
        stage.tokens("nonsense").token(REPO)


def test_the_forge_works_as_the_app_and_replaces_a_token_that_is_withdrawn(
    stage: Stage,
) -> None:
    url, tokens = f"http://127.0.0.1:{stage.world.port}/api/v3", stage.tokens()
    forge = InstalledForge(url, tokens, now=stage.now)
    number = forge.file_issue(REPO, title="t", body="b", labels=[])
    seen = {one.number: one for one in forge.look(REPO).issues}
    author = seen[number].author
    assert forge.account() == "hive-app[bot]"
    assert author is not None
    assert (author.login, author.kind) == ("hive-app[bot]", ActorKind.AGENT)
    [quota] = [one for one in forge.quotas(REPO) if one.resource == "graphql"]
    assert (quota.holder, quota.limit) == (f"installation {stage.installation.id}", 5000)
    with stage.world.forge.transaction():
        for made in stage.world.forge.store.tokens:
            made.expires_at = 0
    forge.comment(REPO, number, "Once.")
    [talk] = [one.comments for one in forge.look(REPO).issues if one.number == number]
    assert [one.body for one in talk] == ["Once."]
    assert stage.made() == 2
    forge.close()


def test_the_doctor_names_what_the_app_lacks(stage: Stage) -> None:
    granted = stage.tokens().granted(REPO)
    found = app_finding(REPO, stage.tokens().login(), granted)
    assert (found.state, found.found) == (State.PROBLEM, "hive-app[bot] lacks actions: read")
    assert app_finding(REPO, "hive-app[bot]", {**granted, "actions": "read"}).state is State.OK
