"""GitHub Apps: who may sign what, which token reaches what, and until when."""

from dataclasses import dataclass
from typing import Any

import jwt
import pytest

from hive.standins.github import apps
from tests.standins.github.harness import Answer, World
from tests.standins.github.openapi import problems

_PERMISSIONS = {"issues": "write", "pull_requests": "write", "contents": "read"}


@dataclass(frozen=True)
class Signer:
    """An App's own hand: JWTs by the forge's clock."""

    world: World
    app: int
    key: str
    installation: int

    def jwt(self, *, issued: int = -60, expires: int = 540, key: str | None = None) -> str:
        now = self.world.forge.clock.epoch()
        claims = {"iat": now + issued, "exp": now + expires, "iss": str(self.app)}
        return jwt.encode(claims, key or self.key, algorithm="RS256")

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Answer:
        headers = {"Authorization": f"Bearer {token or self.jwt()}"}
        return self.world.call(method, path, body, token=None, headers=headers)

    def token(self, **narrowed: Any) -> str:
        made = self.call("POST", f"/app/installations/{self.installation}/access_tokens", narrowed)
        assert made.status == 201, made
        return str(made.body["token"])


@pytest.fixture
def signer(world: World) -> Signer:
    """An App with `_PERMISSIONS` on the owner of `o/r`."""
    forge = world.forge
    with forge.transaction():
        owner = forge.account("o")
        assert owner is not None
        app, key = apps.register(forge, "keeper", owner=owner, permissions=_PERMISSIONS)
        installed = apps.install(forge, app, owner)
    return Signer(world, app.id, key, installed.id)


def test_an_app_finds_its_installation_and_gets_a_token_for_an_hour(signer: Signer) -> None:
    one = f"/app/installations/{signer.installation}"
    for path in ("/app", one, "/repos/o/r/installation"):
        answer = signer.call("GET", path)
        assert (answer.status, problems("GET", path, 200, answer.body)) == (200, [])
    # GitHub describes an entry of the list as a user and an enterprise at once; it is what `one` is.
    assert signer.call("GET", "/app/installations").body == [signer.call("GET", one).body]
    path = f"/app/installations/{signer.installation}/access_tokens"
    made = signer.call("POST", path)
    assert (made.status, problems("POST", path, 201, made.body)) == (201, [])
    assert made.body["permissions"] == {"metadata": "read", **_PERMISSIONS}
    token = made.body["token"]
    assert signer.world.call("GET", "/installation/repositories", token=token).body["total_count"] == 1
    made = signer.world.call("POST", "/repos/o/r/issues", {"title": "T"}, token=token)
    assert made.body["user"]["login"] == "keeper[bot]"
    signer.world.forge.clock.advance(3599)
    assert signer.world.call("GET", "/repos/o/r", token=token).status == 200
    signer.world.forge.clock.advance(2)
    late = signer.world.call("GET", "/repos/o/r", token=token)
    assert (late.status, late.body["message"]) == (401, "Bad credentials")


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"expires": 700}, "'Expiration time' claim ('exp') is too far in the future"),
        ({"expires": -1}, "'Expiration time' claim ('exp') must be a numeric value"),
        ({"issued": 30}, "'Issued at' claim ('iat') must be an Integer"),
        ({"key": apps.new_key()[1]}, "A JSON web token could not be decoded"),
    ],
)
def test_a_signature_that_is_not_good_is_refused(signer: Signer, claims: dict[str, Any], said: str) -> None:
    answer = signer.call("GET", "/app", token=signer.jwt(**claims))
    assert (answer.status, answer.body["message"].startswith(said)) == (401, True), answer.body


def test_an_apps_signature_opens_nothing_but_what_is_the_apps_own(signer: Signer) -> None:
    assert signer.call("GET", "/repos/o/r").status == 401
    assert signer.world.call("GET", "/app", token="token-ada").status == 401


def test_a_token_does_no_more_than_it_was_narrowed_to(signer: Signer) -> None:
    token = signer.token(permissions={"issues": "read"}, repositories=["r"])
    assert signer.world.call("GET", "/repos/o/r/issues", token=token).status == 200
    refused = signer.world.call("POST", "/repos/o/r/issues", {"title": "T"}, token=token)
    assert (refused.status, refused.body["message"]) == (403, "Resource not accessible by integration")
    assert refused.headers["x-accepted-github-permissions"] == "issues=write"
    mutation = 'mutation {createIssue(input: {repositoryId: "R_kw1", title: "T"}) {issue {number}}}'
    said = signer.world.call("POST", "/api/graphql", {"query": mutation}, token=token).body
    assert said["errors"][0]["type"] == "FORBIDDEN"
    path = f"/app/installations/{signer.installation}/access_tokens"
    assert signer.call("POST", path, {"permissions": {"contents": "write"}}).status == 422
    assert signer.call("POST", path, {"repositories": ["other"]}).status == 422


def test_only_a_classic_token_tells_its_scopes(world: World) -> None:
    with world.forge.transaction():
        eve = world.forge.account("eve")
        assert eve is not None
        eve.scopes = None
    classic, fine = (world.call("GET", "/user", token=f"token-{who}").headers for who in ("ada", "eve"))
    assert classic["x-oauth-scopes"] == "gist, read:org, repo, workflow"
    assert "x-oauth-scopes" not in fine
