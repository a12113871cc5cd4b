"""Every capability in every mode by the real tools: the forge has what the table says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.backends.clis import Unavailable
from tests.gateway.octokit import Octokit
from tests.gateway.place import REPO, gh_programs
from tests.gateway.product import clients, oracle
from tests.gateway.product.clients import Client
from tests.gateway.product.deeds import DEEDS, Deed
from tests.gateway.product.scene import Scene
from tests.gateway.product.test_full_product import faults_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def node(world: Scene) -> Iterator[Octokit]:
    try:
        running = Octokit(world.gateway.proxy_url, world.gateway.ca_file)
    except Unavailable as reason:
        pytest.skip(str(reason))
    yield running
    running.close()


def wrong(world: Scene, client: Client, deeds: list[Deed]) -> list[str]:
    """What is other than the table says, over one level and role of each mode."""
    found = []
    for level, role, mode in oracle.one_of_each_mode():
        world.level(level)
        for deed in deeds:
            expected = oracle.expected(level, role, deed.capability)
            answer = client(world, role, deed.make(world, role))
            seen = world.witness()
            faults = faults_of(world, role, deed, expected, answer, seen)
            found += [f"{mode}: {deed.capability} by {deed.route}: {fault}" for fault in faults]
            if seen.writes:
                deed.undo(world, role)
                world.witness()
    return found


def by(*routes: str, findings: bool = False) -> list[Deed]:
    """The deeds of these routes; hive's own findings only for tools that are told its name."""
    return [
        deed for deed in DEEDS if deed.route in routes and (findings or deed.capability != "record-finding")
    ]


# Each version by one route: `gh api` sends what it is given, and test_gh.py has both versions' own commands.
@pytest.mark.parametrize(("version", "route"), [("debian", "rest"), ("current", "graphql")])
def test_gh_does_what_the_table_grants_and_nothing_else(world: Scene, version: str, route: str) -> None:
    if version not in gh_programs():
        pytest.skip(f"the gh called {version} is not here")
    assert wrong(world, clients.gh(version), by(route)) == []


def test_curl_does_what_the_table_grants_and_nothing_else(world: Scene) -> None:
    assert wrong(world, clients.curl, by("rest", "graphql", findings=True)) == []


def test_pygithub_does_what_the_table_grants_and_nothing_else(
    world: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", world.gateway.proxy_url)
    assert wrong(world, clients.pygithub, by("rest", "graphql")) == []


def test_octokit_does_what_the_table_grants_and_nothing_else(world: Scene, node: Octokit) -> None:
    assert wrong(world, clients.octokit(node), by("rest", "graphql")) == []


def test_git_pushes_where_the_table_grants_it_and_nowhere_else(world: Scene) -> None:
    assert wrong(world, clients.git, by("git")) == []


def test_octokits_own_methods_work_unchanged(world: Scene, node: Octokit) -> None:
    level, role, _ = oracle.one_of_each_mode()[-1]
    world.level(level)
    where = {"owner": "acme", "repo": "widgets"}

    def call(name: str, **given: object) -> dict[str, Any]:
        said = node.call(world.token(role), name, {**where, **given})
        assert said["message"] == "", said
        return said

    number = call("issues.create", title="By octokit", body="See.")["data"]["number"]
    call("issues.createComment", issue_number=number, body="I see.")
    call("issues.update", issue_number=number, state="closed")
    listed = call("issues.listForRepo", state="closed", per_page=1)["data"]
    assert [issue["title"] for issue in listed] == ["By octokit"]
    assert call("pulls.list")["data"]
    assert call("repos.get")["data"]["full_name"] == REPO
    said = node.call(world.token(role), "repos.update", {**where, "description": "mine"})
    assert said["status"] == 403
    assert "change-settings is never allowed, at any level" in said["message"]
