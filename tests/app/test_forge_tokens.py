"""An agent with a token of the forge in its own hands: it starts only where that token reaches nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hive.app.forge_tokens import vet
from hive.errors import Refused
from hive.standins.github.process import StandInProcess, start
from tests.decisions.worlds import spec

SECRET = "ghp_private0123456789"  # of the stand-in's
BARE = "ghp_bare0123456789"
CLASSIC = "ghp_classic0123456789"


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandInProcess]:
    folder = tmp_path_factory.mktemp("forge-tokens")
    source = folder / "source"
    source.mkdir()
    (source / "a.py").write_text("x = 0\n")
    seed = {
        "accounts": [
            {"login": "acme", "kind": "organization"},
            {"login": "owner", "token": SECRET, "fine_grained": True, "permission": "write"},
            {"login": "bare", "token": BARE, "fine_grained": True, "permission": "none"},
            {"login": "classic", "token": CLASSIC, "permission": "none"},
        ],
        "repos": [{"full_name": "acme/widgets", "from_folder": str(source), "private": True}],
    }
    file = folder / "seed.json"
    file.write_text(json.dumps(seed))
    process = start(folder / "forge", seed=file)
    yield process
    process.stop()


def vetted(api_url: str, token: str) -> str:
    """Why the agent is not started; empty where it is."""
    one = replace(spec("copilot-1"), environment=(("COPILOT_GITHUB_TOKEN", token),) if token else ())
    try:
        vet(lambda: api_url)(one)
    except Refused as error:
        return str(error)
    return ""


def test_an_agent_without_such_a_token_is_started_and_nobody_is_asked() -> None:
    assert vetted("http://127.0.0.1:9", "") == ""


def test_a_token_that_reaches_no_repository_is_let_through(forge: StandInProcess) -> None:
    assert vetted(forge.api_url, BARE) == ""


@pytest.mark.parametrize(
    ("token", "why"),
    [
        (SECRET, "it reaches private repositories, around the gateway"),
        (CLASSIC, "its scopes lead around the gateway: repo, workflow"),
        ("ghp_revoked0123456789", "the forge does not accept it"),
    ],
)
def test_one_that_reaches_a_repository_or_is_nobodys_is_refused(
    forge: StandInProcess, token: str, why: str
) -> None:
    said = vetted(forge.api_url, token)
    assert f"COPILOT_GITHUB_TOKEN of copilot-1: {why}; " in said
    assert token not in said


def test_where_the_forge_does_not_say_nothing_is_started() -> None:
    said = vetted("http://127.0.0.1:9", SECRET)
    assert "what COPILOT_GITHUB_TOKEN of copilot-1 reaches is not known" in said
    assert SECRET not in said
