"""GraphQL that hive writes anew: it has to ask for the same, in GitHub's own terms."""

from __future__ import annotations

import json
from typing import Any

from graphql import parse, print_ast

from hive.decisions.requests.graphql_document import Document
from hive.gateway import creation_answer
from hive.gateway.published import words_of
from hive.gateway.rewriting import written_document, written_fields
from tests.gateway.place import REPO, Place, identity


def document(query: str, variables: object = None) -> Document:
    return Document(json.dumps({"query": query, "variables": variables or {}}).encode())


def same(query: object, expected: str) -> bool:
    return print_ast(parse(str(query))) == print_ast(parse(expected))


WORDS = words_of(identity(), REPO, "github.com")


def test_a_body_in_a_literal_a_variable_or_inside_of_one_is_marked() -> None:
    marked = written_document(
        document(
            """mutation A($i: AddCommentInput!, $id: ID!, $n: Int!, $unused: Int) {
              one: addComment(input: $i) { subject { id ...F } }
              two: addComment(input: {subjectId: $id, body: "literal"}) { clientMutationId }
              closeIssue(input: {issueId: $id}) { issue { labels(first: $n) { nodes { name } } } } }
            fragment F on Issue { comments(first: $n) { totalCount } }
            fragment G on Issue { id }""",
            {"i": {"subjectId": "I_1", "body": "variable"}, "id": "I_2", "n": 3, "unused": 1},
        ),
        WORDS,
    )
    expected = """mutation($id: ID!, $n: Int!, $hive0: AddCommentInput!, $hive1: AddCommentInput!) {
      one: addComment(input: $hive0) { subject { id ...F } }
      two: addComment(input: $hive1) { clientMutationId }
      closeIssue(input: {issueId: $id}) { issue { labels(first: $n) { nodes { name } } } } }
    fragment F on Issue { comments(first: $n) { totalCount } }"""
    assert same(marked["query"], expected), marked["query"]
    assert marked["variables"] == {
        "id": "I_2",
        "n": 3,
        "hive0": {"subjectId": "I_1", "body": "variable\n\n<!-- hive:agent=quality -->"},
        "hive1": {"subjectId": "I_2", "body": "literal\n\n<!-- hive:agent=quality -->"},
    }


def test_the_comments_of_a_review_are_marked_each() -> None:
    given = {"event": "COMMENT", "comments": [{"path": "a", "body": "x <!-- hive:agent=scanner -->"}]}
    marked = {"path": "a", "body": "x\n\n<!-- hive:agent=quality -->"}
    assert written_fields(given, WORDS) == {"event": "COMMENT", "comments": [marked]}
    query = """mutation { addPullRequestReview(input: {pullRequestId: "PR", threads: [
      {path: "a", line: 1, body: "x <!-- hive:agent=scanner -->"}]}) { clientMutationId } }"""
    sent = written_document(document(query), WORDS)
    assert sent["variables"] == {"hive0": {"pullRequestId": "PR", "threads": [{**marked, "line": 1}]}}


def test_what_says_nothing_is_sent_as_it_came() -> None:
    asked = document('mutation { closeIssue(input: {issueId: "I"}) { clientMutationId } }')
    assert written_document(asked, WORDS) is asked.body


def test_the_answer_to_a_creation_has_the_shape_that_was_asked_for() -> None:
    asked = document(
        """mutation($i: CreatePullRequestInput!, $n: Int!) {
          made: createPullRequest(input: $i) { __typename clientMutationId pr: pullRequest { ...P }
            ... on CreatePullRequestPayload { pullRequest { url } } } }
        fragment P on PullRequest { labels(first: $n) { nodes { name } } }""",
        {"i": {"clientMutationId": "c-1"}, "n": 5},
    )
    [field] = asked.root_fields()
    query = creation_answer.pull_request_query(asked, field, "PR_9")
    assert query is not None
    assert query["variables"] == {"n": 5}
    expected = """query($n: Int!) {
      pr: node(id: "PR_9") { ... on PullRequest { ...P } }
      pullRequest: node(id: "PR_9") { ... on PullRequest { url } } }
    fragment P on PullRequest { labels(first: $n) { nodes { name } } }"""
    assert same(query["query"], expected), query["query"]
    answer = creation_answer.payload(asked, field, {"pr": {"labels": {}}, "pullRequest": {"url": "u"}})
    assert answer == {
        "data": {
            "made": {
                "__typename": "CreatePullRequestPayload",
                "clientMutationId": "c-1",
                "pr": {"labels": {}},
                "pullRequest": {"url": "u"},
            }
        }
    }


def ask(place: Place, query: str) -> dict[str, Any]:
    return place.good_api("POST", "/graphql", json.dumps({"query": query}))


def test_a_pull_request_is_opened_in_a_request_of_its_own(place: Place) -> None:
    place.check_out()
    place.commit("hive/quality/1", {"widgets.py": "changed\n"})
    assert place.push("HEAD").returncode == 0
    owner, name = REPO.split("/")
    asked = f'{{ repository(owner: "{owner}", name: "{name}") {{ id issue(number: 1) {{ id }} }} }}'
    ids = ask(place, asked)["data"]["repository"]
    create = f"""createPullRequest(input: {{repositoryId: "{ids["id"]}", headRefName: "hive/quality/1",
      baseRefName: "main", title: "t", draft: true}})
      {{ pullRequest {{ number isDraft labels(first: 5) {{ nodes {{ name }} }} }} }}"""
    subject = ids["issue"]["id"]
    comment = f'addComment(input: {{subjectId: "{subject}", body: "b"}}) {{ clientMutationId }}'
    both = ask(place, f"mutation {{ {create} {comment} }}")
    assert both["errors"][0]["message"] == "hive: open one pull request in one request, and nothing else"
    left_out = ask(place, f"mutation {{ ... @skip(if: true) {{ {create} }} }}")
    assert "without directives such as @skip" in left_out["errors"][0]["message"]
    assert place.pulls() == []
    alone = ask(place, f"mutation {{ a: {create} }}")
    pull = {"number": 3, "isDraft": True, "labels": {"nodes": [{"name": "hold"}]}}
    assert alone == {"data": {"a": {"pullRequest": pull}}}
    commented = ask(place, f"mutation {{ {comment} }}")
    assert commented == {"data": {"addComment": {"clientMutationId": None}}}
