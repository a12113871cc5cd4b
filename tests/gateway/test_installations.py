"""Hive as a GitHub App in two organizations: each question goes with the token that reaches what it asks."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hive.decisions.requests import NotUnderstood
from hive.errors import Refused
from hive.gateway import Gateway, GatewaySettings
from hive.gateway.installations import Installations
from hive.ports.authority import Identity
from hive.shells.github.app_tokens import AppTokens
from hive.shells.system.clock import SystemClock
from hive.standins.github import apps
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import UnixConnection
from tests.standins.github.harness import World, serve, write_seed

FIRST, SECOND = "a/first", "o/r"
BOTH, ONLY_FIRST, ONLY_SECOND = "token-of-both", "token-of-first", "token-of-second"
GRANTED = {"contents": "write", "issues": "write", "pull_requests": "write"}


@dataclass
class Stage:
    world: World
    socket: Path

    def ask(self, query: str, token: str = BOTH) -> Any:
        """The whole answer to a GraphQL document of an agent's."""
        status, value = self.send("POST", "/graphql", json.dumps({"query": query}).encode(), token)
        assert status == 200, value
        return value

    def send(self, method: str, path: str, body: bytes | None, token: str) -> tuple[int, Any]:
        headers = {"Host": "api.github.com", "Authorization": f"token {token}"}
        with contextlib.closing(UnixConnection(self.socket)) as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    def refusal(self, query: str, token: str = BOTH) -> str:
        value = self.ask(query, token)
        assert value.get("data") is None, value
        return str(value["errors"][0]["message"])

    def used(self, token: str) -> int:
        """Of the forge's quota, as an agent is told; asking costs nothing."""
        status, told = self.send("GET", "/rate_limit", None, token)
        assert status == 200, told
        return int(told["resources"]["core"]["used"])

    def comments(self, repo: str) -> list[str]:
        """What stands under the repository's first issue, without hive's marks."""
        told = self.world.call("GET", f"/repos/{repo}/issues/1/comments", token="token-ada").body
        return [comment["body"].partition("\n")[0] for comment in told]

    def issue(self, repo: str) -> str:
        told = self.world.call("GET", f"/repos/{repo}/issues/1", token="token-ada").body
        return str(told["node_id"])


def title(repo: str) -> str:
    owner, name = repo.split("/")
    return f'repository(owner: "{owner}", name: "{name}") {{ issue(number: 1) {{ title }} }}'


def comment(subject: str, body: str) -> str:
    return f'addComment(input: {{subjectId: "{subject}", body: "{body}"}}) {{ clientMutationId }}'


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("installations")
    repos = [
        {
            "full_name": name,
            "from_folder": "source",
            "private": True,
            "issues": [{"title": f"of {name}", "author": {"login": "ada"}}],
        }
        for name in (FIRST, SECOND)
    ]
    with serve(folder / "root", write_seed(folder, repos=repos)) as world:
        tokens = installed(world)
        url = f"http://127.0.0.1:{world.port}"
        settings = GatewaySettings(
            socket_path=folder / "gate" / "gateway.sock",
            state=folder / "gateway",
            credential=lambda: tokens.token(FIRST),
            credential_of=tokens.token,
            installation_of=tokens.installation,
            refused=tokens.refused,
            api_url=f"{url}/api/v3",
            graphql_url=f"{url}/api/graphql",
            git_url=url,
        )
        bound = {BOTH: (FIRST, SECOND), ONLY_FIRST: (FIRST,), ONLY_SECOND: (SECOND,)}
        authority = FakeAuthority(
            {token: Identity("quality", "quality", its, None) for token, its in bound.items()}
        )
        gateway = Gateway(settings, authority, SystemClock())
        gateway.start()
        try:
            yield Stage(world, settings.socket_path)
        finally:
            gateway.close()


def installed(world: World) -> AppTokens:
    """An App's tokens in both organizations."""
    forge = world.forge
    with forge.transaction():
        owners = [forge.account(repo.partition("/")[0]) for repo in (FIRST, SECOND)]
        assert owners[0] is not None
        app, key = apps.register(forge, "hive-app", owner=owners[0], permissions=GRANTED)
        for owner in owners:
            assert owner is not None
            apps.install(forge, app, owner)
    url = f"http://127.0.0.1:{world.port}/api/v3"
    return AppTokens(url, str(app.id), lambda: key, lambda: datetime.fromtimestamp(forge.clock.epoch(), UTC))


@pytest.mark.parametrize("repo", [FIRST, SECOND])
def test_a_question_goes_with_the_token_of_the_repository_that_it_names(stage: Stage, repo: str) -> None:
    assert stage.ask(f"{{ {title(repo)} }}") == {"data": {"repository": {"issue": {"title": f"of {repo}"}}}}


def test_an_agent_elsewhere_than_in_the_first_repository_asks_with_its_own_ones_token(stage: Stage) -> None:
    asked = f'{{ node(id: "{stage.issue(SECOND)}") {{ ... on Issue {{ title }} }} viewer {{ login }} }}'
    assert stage.ask(asked, ONLY_SECOND) == {
        "data": {"node": {"title": f"of {SECOND}"}, "viewer": {"login": "hive-app[bot]"}}
    }


@pytest.mark.parametrize("repo", [FIRST, SECOND])
def test_an_id_is_looked_up_where_it_is_and_what_is_done_to_it_goes_with_that_token(
    stage: Stage, repo: str
) -> None:
    asked = f"mutation {{ {comment(stage.issue(repo), 'seen')} }}"
    assert stage.ask(asked) == {"data": {"addComment": {"clientMutationId": None}}}
    assert stage.comments(repo)[-1] == "seen"


def test_what_no_one_token_reaches_is_refused_with_the_way_out(stage: Stage) -> None:
    why = (
        "hive: a/first and o/r are reached by different installations of hive's GitHub App; ask about each "
        "in a request of its own"
    )
    first, second = stage.issue(FIRST), stage.issue(SECOND)
    assert stage.refusal(f"{{ a: {title(FIRST)} b: {title(SECOND)} }}") == why
    assert stage.refusal(f'{{ nodes(ids: ["{first}", "{second}"]) {{ id }} }}') == why
    said = f"mutation {{ a: {comment(first, 'twice')} b: {comment(second, 'twice')} }}"
    assert stage.refusal(said) == why
    assert "twice" not in stage.comments(FIRST) + stage.comments(SECOND)


def test_an_id_beyond_the_agents_own_installations_is_not_known(stage: Stage) -> None:
    second = stage.issue(SECOND)
    said = stage.refusal(f'{{ node(id: "{second}") {{ id }} }}', ONLY_FIRST)
    assert f"it is not known what {second} is" in said
    stage.refusal(f"mutation {{ {comment(second, 'from elsewhere')} }}", ONLY_FIRST)
    assert "from elsewhere" not in stage.comments(SECOND)


def test_a_pull_request_is_opened_and_made_ready_with_its_own_repositorys_token(stage: Stage) -> None:
    world = stage.world
    world.push("hive/quality/1", {"a.txt": "text\n"})
    node = world.call("GET", f"/repos/{SECOND}", token="token-ada").body["node_id"]
    create = f"""createPullRequest(input: {{repositoryId: "{node}", headRefName: "hive/quality/1",
      baseRefName: "main", title: "t"}}) {{ pullRequest {{ number isDraft }} }}"""
    assert stage.ask(f"mutation {{ {create} }}") == {
        "data": {"createPullRequest": {"pullRequest": {"number": 2, "isDraft": False}}}
    }


def test_an_agent_sees_the_quota_of_its_own_installation(stage: Stage) -> None:
    before = stage.used(ONLY_FIRST), stage.used(ONLY_SECOND)
    for _ in range(3):
        assert stage.send("GET", f"/repos/{SECOND}/issues/1", None, ONLY_SECOND)[0] == 200
    assert (stage.used(ONLY_FIRST), stage.used(ONLY_SECOND)) == (before[0], before[1] + 3)


def of(repo: str) -> int:
    """Two installations, of which each reaches what its owner has."""
    numbers = {"a": 1, "b": 2}
    if repo[0] not in numbers:
        raise Refused("github", f"the GitHub App is not installed on {repo}")
    return numbers[repo[0]]


@pytest.mark.parametrize(
    ("repos", "one_each"),
    [
        (["a/1", "a/2"], ("a/1",)),
        (["b/1", "a/1", "b/2"], ("b/1", "a/1")),
        (["c/1", "a/1"], ("a/1",)),
        ([], ()),
    ],
)
def test_each_installation_is_asked_once_and_one_that_is_missing_is_left_out(
    repos: Sequence[str], one_each: Sequence[str]
) -> None:
    assert Installations(of).among(repos) == one_each
    assert Installations().among(repos) == ("",)


def test_one_token_is_told_by_any_of_the_repositories_that_it_reaches() -> None:
    assert Installations(of).only(["a/1", "", "a/2"]) == "a/1"
    assert Installations(of).only([]) == ""
    assert Installations().only(["a/1", "b/1"]) == ""
    with pytest.raises(NotUnderstood, match=r"^a/1 and b/1 are reached by different installations"):
        Installations(of).only(["a/1", "b/1", "a/2"])
    with pytest.raises(Refused, match="not installed on c/1"):
        Installations(of).only(["a/1", "c/1"])
