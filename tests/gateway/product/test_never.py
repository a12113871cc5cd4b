"""What is allowed at no level reaches the forge by no route, and the agent reads that it was hive."""

from __future__ import annotations

import pytest

from tests.gateway.place import REPO
from tests.gateway.product import never, oracle
from tests.gateway.product.scene import PEER, Scene

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(autouse=True)
def held(world: Scene) -> None:
    """The peer's pull request carries a hold, which nobody here may lift."""
    if "hold" not in world.labels(world.peers):
        world.admin("POST", f"/repos/{REPO}/issues/{world.peers}/labels", {"labels": ["hold"]})
    world.witness()


@pytest.mark.parametrize("route", ["REST", "GraphQL"])
def test_the_plain_ways_are_closed_at_every_level_to_every_role(world: Scene, route: str) -> None:
    assert _let_through(world, route, oracle.pairs()) == []


@pytest.mark.parametrize("route", ["odd addresses", "git"])
def test_the_ways_around_are_closed_in_every_mode(world: Scene, route: str) -> None:
    pairs = [(level, role) for level, role, _ in oracle.one_of_each_mode()]
    before = world.refs()
    assert _let_through(world, route, pairs) == []
    assert world.refs() == before
    assert world.labels(world.peers) == {"hold"}


def _let_through(world: Scene, route: str, pairs: list[tuple[int, str]]) -> list[str]:
    found = []
    for level, role in pairs:
        world.level(level)
        for name, call in never.ROUTES[route](world, role):
            answer = world.ask(role, call.method, call.path, call.body, call.headers)
            seen = world.witness()
            if seen.writes or seen.asked or not answer.refused:
                found.append(f"L{level} {role}: {name}: {answer.status} {answer.body[:200]!r}, {seen}")
    return found


def test_each_of_the_forbidden_ways_would_have_worked_for_a_person(world: Scene) -> None:
    """A request that the forge itself refuses would prove nothing."""
    done = [
        ("PATCH", "/issues/1", {"state": "closed"}, "issue.close"),
        ("PATCH", "/git/refs/heads/release/1", {"sha": world.work}, "ref.update"),
        ("DELETE", f"/issues/{world.peers}/labels/hold", None, "issue.unlabel"),
        ("DELETE", "/git/refs/tags/v1", None, None),
        ("PUT", f"/pulls/{world.peers}/merge", {}, "pr.merge"),
    ]
    for method, below, value, what in done:
        world.admin(method, f"/repos/{REPO}{below}", value)
        assert what is None or what in world.witness().writes
    assert f"refs/heads/hive/{PEER}/pull" in world.refs()
