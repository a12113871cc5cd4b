"""GraphQL as GitHub answers it: shapes of failures, pages, and what gh sends."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from graphql import parse, validate

from hive.standins.github.graphql.schema import RULES, schema
from tests.standins.github.harness import World

_RECORDED = Path(__file__).parent / "schema" / "gh-queries.json.gz"


def _recorded() -> list[dict[str, Any]]:
    recorded: list[dict[str, Any]] = json.loads(gzip.decompress(_RECORDED.read_bytes()))
    return recorded


def test_everything_that_both_gh_versions_were_seen_to_send_is_valid() -> None:
    invalid = [
        (entry["client"], entry["query"][:80], problem.message)
        for entry in _recorded()
        for problem in validate(schema(), parse(entry["query"]), RULES)
    ]
    assert invalid == []
    assert {entry["client"].split(".")[1] for entry in _recorded()} == {"23", "102"}


def test_what_is_not_there_is_an_error_of_its_type_with_its_path(world: World) -> None:
    body = world.graphql('{repository(owner: "o", name: "none") {id}}')
    assert body["data"] == {"repository": None}
    assert [(e["type"], e["path"], e["message"]) for e in body["errors"]] == [
        ("NOT_FOUND", ["repository"], "Could not resolve to a Repository with the name 'o/none'.")
    ]


def test_a_field_that_github_does_not_have_is_an_error_without_data(world: World) -> None:
    body = world.graphql("{viewer {nonsense}}")
    assert "data" not in body
    assert "nonsense" in body["errors"][0]["message"]


def test_a_field_that_github_has_and_the_stand_in_does_not_serve_says_so(world: World) -> None:
    body = world.graphql(
        '{repository(owner: "o", name: "r") {branchProtectionRules: isSecurityPolicyEnabled}}'
    )
    assert "errors" not in body
    body = world.graphql('{user(login: "ada") {isHireable}}')
    assert "does not serve User.isHireable" in body["errors"][0]["message"]


def test_graphql_needs_a_token(world: World) -> None:
    asked = {"query": "{viewer {login}}"}
    answers = [world.call("POST", "/api/graphql", asked, token=token) for token in (None, "wrong")]
    assert [answer.status for answer in answers] == [401, 401]


def test_lists_are_paged_by_cursors(world: World) -> None:
    for number in range(3):
        world.call("POST", "/repos/o/r/issues", {"title": f"Issue {number}"})
    query = """query($after: String) {repository(owner: "o", name: "r") {
        issues(first: 2, after: $after) {totalCount nodes {number} pageInfo {hasNextPage endCursor}}}}"""
    pages, after = [], None
    while True:
        issues = world.graphql(query, after=after)["data"]["repository"]["issues"]
        pages.append([node["number"] for node in issues["nodes"]])
        after = issues["pageInfo"]["endCursor"]
        if not issues["pageInfo"]["hasNextPage"]:
            break
    assert (pages, issues["totalCount"]) == ([[5, 1], [6, 7], [8]], 5)


def test_more_than_a_hundred_at_once_is_refused(world: World) -> None:
    body = world.graphql('{repository(owner: "o", name: "r") {issues(first: 101) {totalCount}}}')
    assert body["errors"][0]["type"] == "EXCESSIVE_PAGINATION"


def test_a_mutation_that_is_not_allowed_changes_nothing(world: World) -> None:
    issue = world.call("GET", "/repos/o/r/issues/1").body
    asked = {
        "query": "mutation($id: ID!) {closeIssue(input: {issueId: $id}) {issue {state}}}",
        "variables": {"id": issue["node_id"]},
    }
    body = world.call("POST", "/api/graphql", asked, token="token-eve").body
    assert (body["data"], body["errors"][0]["type"]) == ({"closeIssue": None}, "FORBIDDEN")
    assert world.call("GET", "/repos/o/r/issues/1").body["state"] == "open"


@pytest.mark.parametrize("query", ["{", "query {viewer {login}"])
def test_a_document_that_cannot_be_read_is_an_error(world: World, query: str) -> None:
    assert "Syntax Error" in world.graphql(query)["errors"][0]["message"]


def test_one_query_sees_all_that_a_merge_gate_asks_for(world: World) -> None:
    pull = world.open_pull("topic", body="Fixes #1")
    world.call("POST", "/repos/o/r/issues/6/labels", {"labels": ["hold"]}, token="token-ada")
    query = """{repository(owner: "o", name: "r") {pullRequests(first: 10, states: OPEN) {nodes {
        number isDraft headRefOid mergeable author {login __typename} baseRefName changedFiles
        labels(first: 10) {nodes {name}} files(first: 10) {nodes {path}}
        timelineItems(first: 10, itemTypes: [LABELED_EVENT]) {
            nodes {... on LabeledEvent {actor {login} label {name}}}}
        reviews(first: 10) {nodes {state commit {oid} author {login}}}
        closingIssuesReferences(first: 10) {nodes {number state}}
        commits(last: 1) {nodes {commit {statusCheckRollup {state}}}}}}}}"""
    body = world.graphql(query)
    assert "errors" not in body
    assert body["data"]["repository"]["pullRequests"]["nodes"] == [
        {
            "number": 6,
            "isDraft": False,
            "headRefOid": pull["head"]["sha"],
            "mergeable": "MERGEABLE",
            "author": {"login": "hive", "__typename": "Bot"},
            "baseRefName": "main",
            "changedFiles": 1,
            "labels": {"nodes": [{"name": "hold"}]},
            "files": {"nodes": [{"path": "topic.txt"}]},
            "timelineItems": {"nodes": [{"actor": {"login": "ada"}, "label": {"name": "hold"}}]},
            "reviews": {"nodes": []},
            "closingIssuesReferences": {"nodes": [{"number": 1, "state": "OPEN"}]},
            "commits": {"nodes": [{"commit": {"statusCheckRollup": None}}]},
        }
    ]
