"""What holds for every request, however strange: it is read or it is unknown, and a merge is never missed."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from hive.decisions.requests import NotUnderstood, Request, classify, read
from hive.decisions.requests.model import names
from hive.decisions.requests.raw import parse_request
from hive.facts.autonomy import Action
from tests.decisions.requests.asking import CALLER, FACTS

METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
LITERALS = sorted(
    names("repos o r pulls 7 merge issues labels hold git refs heads main hive quality x contents")
)
ODD = ["..", ".", "", "%2F", "%2e%2e", "é", "%C3%A9", "%00", "%"]
WORDS = st.sampled_from([*LITERALS, *ODD])
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["title", "body", "state", "labels", "head", "base", "branch", "ref", "sha", "force", "event", "draft"]
)


@given(METHODS, st.lists(WORDS, max_size=9), st.dictionaries(FIELDS, VALUES, max_size=4))
@settings(max_examples=300, deadline=None)
def test_every_rest_request_has_an_answer(method: str, words: list[str], body: dict[str, object]) -> None:
    data = b"" if method in ("GET", "HEAD") else json.dumps(body).encode()
    request = Request(method, "/" + "/".join(words), (("Host", "api.github.com"),), data)
    operations = classify(request, CALLER, FACTS)
    assert operations
    if all(operation.action is Action.READ for operation in operations):
        assert method in ("GET", "HEAD")
    assert read(request, CALLER, FACTS).operations == operations


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_bytes_are_a_request_or_are_not_understood(data: bytes) -> None:
    try:
        request = parse_request(data)
    except NotUnderstood:
        return
    assert classify(request, CALLER, FACTS)


@given(st.dictionaries(st.sampled_from(["query", "variables", "operationName", "x"]), VALUES))
@settings(max_examples=200, deadline=None)
def test_every_graphql_body_has_an_answer(body: dict[str, object]) -> None:
    request = Request("POST", "/graphql", (("Host", "api.github.com"),), json.dumps(body).encode())
    assert classify(request, CALLER, FACTS)


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
MERGE = 'mergePullRequest(input: {pullRequestId: "PR_7"}) { clientMutationId }'
HARMLESS = st.sampled_from(
    ["__typename", 'x: addComment(input: {subjectId: "I_5", body: "b"}) { clientMutationId }']
)


@given(
    NAMES,
    NAMES,
    st.lists(HARMLESS, max_size=2, unique=True),
    st.integers(0, 4),
    st.sampled_from(["", "@skip(if: false)", "@include(if: $no)", "@x"]),
    st.sampled_from(["\n", " ", ",", "\n# mutation }\n", "\ufeff"]),
)
@settings(max_examples=300, deadline=None)
def test_no_dress_hides_a_merge(
    name: str, alias: str, harmless: list[str], depth: int, directive: str, space: str
) -> None:
    fragments = ""
    wanted = f"{alias}: {MERGE}".replace(") {", f") {directive} {{")
    for level in range(depth):
        if level % 2:
            wanted = f"... on Mutation {directive} {{ {wanted} }}"
        else:
            fragments += f" fragment F{level} on Mutation {{ {wanted} }}"
            wanted = f"...F{level}"
    query = f"mutation {name}{space}{{ {' '.join(harmless)} {wanted} }}{fragments}"
    body = json.dumps({"query": query, "variables": {"no": False}, "operationName": name}).encode()
    request = Request("POST", "/graphql", (("Host", "api.github.com"),), body)
    assert any(
        operation.action is Action.REQUEST_MERGE or operation.refused_by
        for operation in classify(request, CALLER, FACTS)
    )
