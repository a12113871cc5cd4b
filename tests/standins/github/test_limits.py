"""What requests cost, and what happens when nothing is left."""

import http.client

import pytest
from graphql import parse

from hive.standins.github.graphql import cost
from tests.standins.github.harness import World


def test_a_query_costs_what_githubs_own_example_says() -> None:
    """1 + 100 + 5,000 requests, which are 51 points."""
    query = """query {viewer {login repositories(first: 100) {edges {node {id issues(first: 50) {edges {node {
        id labels(first: 60) {edges {node {id name}}}}}}}}}}}"""
    assert cost.of(parse(query), {}) == cost.Cost(51, 100 + 5_000 + 300_000)


def test_a_query_for_too_many_nodes_is_refused_and_says_how_many(world: World) -> None:
    query = """{repository(owner: "o", name: "r") {issues(first: 100) {nodes {comments(first: 100) {nodes {
        id reactions: author {login}}} labels(first: 100) {nodes {issues(first: 100) {nodes {id}}}}}}}}"""
    said = world.graphql(query)["errors"][0]
    assert (said["type"], "1,020,100 possible nodes" in said["message"]) == ("MAX_NODE_LIMIT_EXCEEDED", True)


def test_the_rate_limit_field_tells_the_truth(world: World) -> None:
    query = "{rateLimit {cost remaining limit nodeCount resetAt}}"
    first, second = (world.graphql(query)["data"]["rateLimit"] for _ in range(2))
    assert (first["cost"], first["remaining"], second["remaining"]) == (1, 4999, 4998)


def test_when_no_points_are_left_graphql_says_so_in_a_200_until_the_window_ends(world: World) -> None:
    world.service.limits.per_hour = 1
    assert "errors" not in world.graphql("{viewer {login}}")
    assert world.graphql("{viewer {login}}")["errors"][0]["type"] == "RATE_LIMITED"
    world.forge.clock.advance(3601)
    assert "errors" not in world.graphql("{viewer {login}}")


def test_too_many_writes_in_a_minute_meet_the_secondary_limit(world: World) -> None:
    world.control("POST", "/limits", {"secondary": True})
    world.forge.clock.set(world.forge.clock.time())
    path = "/repos/o/r/issues/1/comments"
    statuses = [world.call("POST", path, {"body": "x"}).status for _ in range(81)]
    assert statuses == [201] * 80 + [403]
    refused = world.call("POST", path, {"body": "x"})
    assert (refused.headers["retry-after"], "secondary rate limit" in refused.body["message"]) == ("60", True)
    world.forge.clock.advance(60)
    assert world.call("POST", path, {"body": "x"}).status == 201


def test_faults_come_by_share_and_after_a_count_the_same_in_each_run(world: World) -> None:
    runs = []
    for _ in range(2):
        world.control("POST", "/faults", {"do": "502", "share": 0.3, "seed": 7, "times": 1000})
        runs.append([world.call("GET", "/user").status for _ in range(20)])
        world.control("DELETE", "/faults")
    assert runs[0] == runs[1]
    assert 2 <= runs[0].count(502) <= 12
    world.control("POST", "/faults", {"do": "503", "skip": 2})
    assert [world.call("GET", "/user").status for _ in range(4)] == [200, 200, 503, 200]


def test_a_connection_that_is_reset_did_nothing(world: World) -> None:
    world.control("POST", "/faults", {"do": "reset", "match": {"method": "POST", "path": "/issues"}})
    with pytest.raises((ConnectionResetError, http.client.RemoteDisconnected)):
        world.call("POST", "/repos/o/r/issues", {"title": "T"})
    assert len(world.call("GET", "/repos/o/r/issues?state=all").body) == 2
