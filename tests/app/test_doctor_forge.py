"""The forge of a configuration, looked at as hive's account: over the stand-in."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from hive.app.doctor.examination import examine
from hive.app.doctor.forge import forge_checks
from hive.decisions.doctor.finding import Finding, State
from hive.kernel.plugins import backends
from hive.settings.loading import load
from hive.shells.system.clock import SystemClock
from hive.standins.github.process import StandInProcess, start

TOKEN = "ghp_0123456789sesame"
ACCOUNT = {"login": "hive-bot", "token": TOKEN, "permission": "write"}

Looks = Callable[..., Sequence[Finding]]


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[StandInProcess]:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.py").write_text("x = 0\n")
    reader = {"login": "reader", "token": "ghp_reader", "permission": "read"}
    seed = {
        "accounts": [{"login": "acme", "kind": "organization"}, ACCOUNT, reader],
        "repos": [{"full_name": "acme/widgets", "from_folder": str(source)}],
    }
    file = tmp_path / "seed.json"
    file.write_text(json.dumps(seed))
    process = start(tmp_path / "forge", seed=file)
    yield process
    process.stop()


@pytest.fixture
def look(tmp_path: Path) -> Looks:
    def look(
        api_url: str,
        *,
        token: str = TOKEN,
        repositories: str = "[acme/widgets]",
        later: timedelta = timedelta(),
        environment: str = "{}",
    ) -> Sequence[Finding]:
        config = tmp_path / "hive.yaml"
        config.write_text(
            f"level: 4\ngithub: {{api_url: '{api_url}', token: '${{TOKEN}}'}}\n"
            f"repositories: {repositories}\nagents: [{{name: quality, role: quality, backend: scripted,"
            f" environment: {environment}}}]\n"
        )
        settings = load(config, environ={"TOKEN": token, "OWN": "ghp_reader"}, backends=backends())
        return examine(forge_checks(settings, lambda: SystemClock().now() + later), patience=30)

    return look


def told(found: Sequence[Finding]) -> dict[str, str]:
    return {each.name: f"{each.state}: {each.found}" for each in found}


def test_a_good_account_is_fine_in_all(forge: StandInProcess, look: Looks) -> None:
    found = look(forge.api_url)
    assert {each.name: each.state for each in found} == dict.fromkeys(
        (
            "github token",
            "github token: scopes",
            "clock",
            "rate limit: core",
            "rate limit: graphql",
            "repository acme/widgets",
        ),
        State.OK,
    )
    assert told(found)["github token"] == "ok: a classic token of hive-bot"
    assert told(found)["github token: scopes"] == "ok: gist, read:org, repo, workflow"
    assert TOKEN not in str(found)


def test_a_token_that_is_not_accepted_is_told_and_never_shown(forge: StandInProcess, look: Looks) -> None:
    found = told(look(forge.api_url, token="ghp_wrong_sesame"))
    assert found["github token"] == "problem: the forge does not accept it (a classic token)"
    assert found["repository acme/widgets"].startswith("problem: ")
    assert "sesame" not in str(found)


def test_an_account_that_may_only_read_is_short_of_what_the_level_lets_agents_do(
    forge: StandInProcess, look: Looks
) -> None:
    found = told(look(forge.api_url, token="ghp_reader"))
    assert (
        found["repository acme/widgets"]
        == "problem: hive's account has pull; agents in mode holdgated need push"
    )


def test_a_repository_that_is_not_there_hides_no_other(forge: StandInProcess, look: Looks) -> None:
    found = told(look(forge.api_url, repositories="[acme/nothing, acme/widgets]"))
    assert found["repository acme/nothing"] == "problem: it is not there, or the token may not see it"
    assert found["repository acme/widgets"] == "ok: push; agents need push"


def test_a_clock_that_is_ahead_of_the_forge_is_told(forge: StandInProcess, look: Looks) -> None:
    found = told(look(forge.api_url, later=timedelta(minutes=10)))
    assert found["clock"].startswith("problem: ")
    assert found["clock"].endswith(" s ahead of the forge's")


def test_a_forge_that_breaks_down_is_one_line_for_each_check(forge: StandInProcess, look: Looks) -> None:
    forge.fault("502", times=20)
    assert [each.state for each in look(forge.api_url)].count(State.PROBLEM) == 2


def test_a_forge_that_is_not_there_is_one_line_for_each_check(look: Looks) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        found = look(address)
    assert [(each.name, each.state) for each in found] == [
        ("github token", State.PROBLEM),
        ("repository acme/widgets", State.PROBLEM),
    ]
    assert found[0].found == f"{address} does not answer (ConnectionError)"


def test_a_token_of_the_forge_in_an_agents_hands_is_asked_what_it_reaches(
    forge: StandInProcess, look: Looks
) -> None:
    found = look(forge.api_url, environment="{COPILOT_GITHUB_TOKEN: '${OWN}'}")
    assert (
        told(found)["agent quality: forge token"]
        == "problem: its scopes lead around the gateway: repo, workflow"
    )
    assert "ghp_reader" not in str(found)
