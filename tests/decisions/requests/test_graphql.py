from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hive.decisions.requests import Request, classify
from tests.decisions.requests.asking import CALLER, FACTS, UNKNOWN, Told, graphql, mutation, told

MERGE = [("request-merge", "o/r#7")]


@pytest.mark.parametrize(
    "query",
    [
        'mutation { mergePullRequest(input: {pullRequestId: "PR_7"}) { clientMutationId } }',
        'mutation IssueCreate { a: mergePullRequest(input: {pullRequestId: "PR_7"}) { __typename } }',
        'mutation { ...F } fragment F on M { mergePullRequest(input: {pullRequestId: "PR_7"}) { url } }',
        'mutation { ... on Mutation { ... { mergePullRequest(input: {pullRequestId: "PR_7"}) { url } } } }',
        'mutation { __typename mergePullRequest(input: {pullRequestId: "PR_7"}) { __typename } }',
        'mutation { mergePullRequest(input: {pullRequestId: "PR_7"}) @skip(if: true) { __typename } }',
        '# query\nmutation\n{ mergePullRequest(input: {pullRequestId: """PR_7"""}) { __typename } }',
        'mutation($i: X! = {pullRequestId: "PR_7"}) { mergePullRequest(input: $i) { url } }',
    ],
)
def test_a_merge_is_seen_however_it_is_written(query: str) -> None:
    assert graphql(query) == MERGE


def test_every_root_field_is_an_operation_of_its_own() -> None:
    query = """mutation { a: addComment(input: {subjectId: "I_5", body: "b"}) { __typename }
      b: mergePullRequest(input: {pullRequestId: "PR_7"}) { __typename } }"""
    assert graphql(query) == [("comment", "o/r#5"), *MERGE]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'[{"query": "{ viewer { login } }"}]',
        b'{"query": "query A { viewer { login } } query B { viewer { login } }"}',
        b'{"query": "query A { viewer { login } } query B { viewer { login } }", "operationName": "A"}',
        b'{"query": "query A { viewer { login } }", "operationName": "B"}',
        b'{"query": "subscription { viewer { login } }"}',
        b'{"query": "{ viewer { login }"}',
        b'{"query": "type X { a: Int }"}',
        b'{"query": "{ ...F } fragment F on Query { ...F }"}',
        b'{"query": "{ ...Missing }"}',
        b'{"query": "{ viewer { login } }", "query": "mutation { x }"}',
        b'{"query": "{ viewer { login } }", "extensions": {"persistedQuery": {}}}',
        b'{"id": "abc"}',
        b'{"query": "{ viewer { login } }", "variables": []}',
        b'\xff{"query": "{ viewer { login } }"}',
        b'{"query": "mutation { __typename }"}',
        b'{"query": "mutation { mergePullRequest { __typename } }"}',
        b'{"query": "mutation { launchMissiles(input: {}) { __typename } }"}',
        b'{"query": "mutation { addComment(input: {subjectId: \\"I_X\\", body: \\"b\\"}) { __typename } }"}',
    ],
)
def test_anything_but_one_operation_in_one_document_is_unknown(body: bytes) -> None:
    request = Request("POST", "/graphql", (("Host", "api.github.com"),), body)
    assert told(classify(request, CALLER, FACTS)) == UNKNOWN


@pytest.mark.parametrize(("method", "target"), [("GET", "/graphql?query=x"), ("POST", "/graphql?query=x")])
def test_mutations_in_a_query_string_are_unknown(method: str, target: str) -> None:
    body = json.dumps({"query": "{ viewer { login } }"}).encode()
    request = Request(method, target, (("Host", "api.github.com"),), body)
    assert told(classify(request, CALLER, FACTS)) == UNKNOWN


IN_OURS = [
    "name issues(first: 9) { nodes { title body comments(first: 9) { nodes { author { login } body } } } }",
    "owner { login id } parent { name owner { login } hasIssuesEnabled defaultBranchRef { name } }",
    "pullRequest(number: 7) { closingIssuesReferences(first: 5) { nodes { number url } } }",
    "pullRequest(number: 7) { headRepository { id name } headRepositoryOwner { ... on User { name } } }",
    "pullRequest(number: 7) { reviewRequests { nodes { requestedReviewer { ... on User { login } } } } }",
    "issue(number: 5) { parent { number title url } subIssues(first: 9) { nodes { number title } } }",
]


@pytest.mark.parametrize("selection", IN_OURS)
def test_reads_within_the_repository_stay_reads(selection: str) -> None:
    query = f"query($o: String!, $n: String!) {{ repository(owner: $o, name: $n) {{ {selection} }} }}"
    assert graphql(query, {"o": "O", "n": "r"}) == [("read", "o/r")]


@pytest.mark.parametrize(
    "query",
    [
        "{ viewer { login id } rateLimit { remaining } }",
        '{ __type(name: "Issue") { fields { name } } __schema { types { name } } }',
        '{ node(id: "PR_7") { ... on PullRequest { title author { login } } } }',
        '{ node(id: "U_1") { ... on User { login } } }',
    ],
)
def test_reads_of_the_caller_the_schema_and_known_ids_are_reads(query: str) -> None:
    assert graphql(query) == [("read", "o/r")]


def test_a_query_is_a_read_of_each_repository_that_it_looks_at() -> None:
    query = """{ viewer { login } a: repository(owner: "o", name: "r") { name }
      b: repository(owner: "OTHER", name: "place") { name } nodes(ids: ["PR_7", "R_2", "U_1"]) { id } }"""
    request = Request(
        "POST", "/graphql", (("Host", "api.github.com"),), json.dumps({"query": query}).encode()
    )
    caller = replace(CALLER, repos=("third/one", "o/r", "other/place"))
    assert told(classify(request, caller, FACTS)) == [("read", "o/r"), ("read", "other/place")]


@pytest.mark.parametrize(
    "selection",
    [
        "owner { repositories(first: 9) { nodes { name } } }",
        'owner { ... on User { repository(name: "secret") { name } } }',
        'parent { object(expression: "HEAD:key") { ... on Blob { text } } }',
        "forks(first: 5) { nodes { name } }",
        "issue(number: 5) { author { ... on User { email gists { totalCount } } } }",
        "issue(number: 5) { ... { author { ... on User { repositories { totalCount } } } } }",
        "issue(number: 5) { parent { body } }",
        "pullRequest(number: 7) { timelineItems(first: 9) { nodes { ... on CrossReferencedEvent { "
        "source { ... on Issue { body } } } } } }",
    ],
)
def test_a_walk_out_of_the_repository_is_unknown(selection: str) -> None:
    assert graphql(f'{{ repository(owner: "o", name: "r") {{ {selection} }} }}') == UNKNOWN


@pytest.mark.parametrize(
    "query",
    [
        '{ repository(owner: "other", name: "place") { name } }',
        "{ viewer { repositories(first: 9) { nodes { name } } } }",
        "{ viewer { issues(first: 9) { nodes { body } } } }",
        '{ search(query: "repo:o/r x", type: ISSUE, first: 5) { issueCount } }',
        '{ organization(login: "o") { name } }',
        '{ user(login: "ada") { name } }',
        '{ node(id: "R_2") { id } }',
        '{ node(id: "nobody-knows") { id } }',
        '{ nodes(ids: ["PR_7", "R_2"]) { id } }',
        '{ node(id: "U_1") { ... on User { repositories { totalCount } } } }',
    ],
)
def test_a_read_that_walks_on_to_other_repositories_is_unknown(query: str) -> None:
    assert graphql(query) == UNKNOWN


def test_what_a_mutation_selects_is_a_read_too() -> None:
    query = """mutation { addComment(input: {subjectId: "I_5", body: "b"}) {
      subject { ... on Issue { repository { owner { ... on User { repositories { totalCount } } } } } } } }"""
    assert graphql(query) == UNKNOWN


PULL = {
    "repositoryId": "R_1",
    "baseRefName": "main",
    "headRefName": "hive/quality/z",
    "title": "t",
    "body": "b",
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [("open-pr", "o/r")]),
        ({"headRefName": "o:hive/quality/z"}, [("open-pr", "o/r")]),
        ({"headRepositoryId": "R_1"}, [("open-pr", "o/r")]),
        ({"headRepositoryId": "R_2"}, UNKNOWN),
        ({"headRepositoryId": "R_9"}, [("!open-pr", "o/r")]),
        ({"headRefName": "eve:hive/quality/z"}, [("!open-pr", "o/r")]),
        ({"headRefName": "main"}, [("!open-pr", "o/r")]),
        ({"repositoryId": "R_9"}, [("!open-pr", "R_9")]),
        ({"repositoryId": "R_2"}, UNKNOWN),
    ],
)
def test_pull_requests_are_opened_from_own_branches(changes: dict[str, object], expected: Told) -> None:
    assert mutation("createPullRequest", {**PULL, **changes}) == expected


@pytest.mark.parametrize(
    ("field", "given", "expected"),
    [
        ("createIssue", {"repositoryId": "R_1", "title": "t"}, [("file-issue", "o/r")]),
        ("createIssue", {"repositoryId": "R_9", "title": "t"}, [("!file-issue", "R_9")]),
        ("updateIssue", {"id": "I_4", "title": "t"}, [("file-issue", "o/r#4")]),
        ("updateIssue", {"id": "I_5", "body": "b"}, [("edit-others-text", "o/r#5")]),
        ("updateIssue", {"id": "I_4", "state": "CLOSED"}, [("close-own", "o/r#4")]),
        ("updateIssue", {"id": "I_4", "labelIds": ["L_bug"]}, [("label-own", "o/r#4")]),
        ("closeIssue", {"issueId": "I_4"}, [("close-own", "o/r#4")]),
        ("closeIssue", {"issueId": "I_5"}, [("edit-others-text", "o/r#5")]),
        ("closeIssue", {"issueId": "I_99"}, [("!unknown", "I_99")]),
        ("addComment", {"subjectId": "PR_9", "body": "b"}, [("comment", "o/r#9")]),
        ("addComment", {"subjectId": "X", "body": "b"}, [("!comment", "X")]),
        ("updateIssueComment", {"id": "C_own", "body": "b"}, [("comment", "o/r#5")]),
        ("updateIssueComment", {"id": "C_ada", "body": "b"}, [("edit-others-text", "o/r#5")]),
        ("deleteIssueComment", {"id": "PR_7"}, [("!edit-others-text", "o/r#7")]),
        ("deleteIssueComment", {"id": "C_ada"}, [("edit-others-text", "o/r#5")]),
        ("updatePullRequest", {"pullRequestId": "PR_7", "title": "t"}, [("update-own-pr", "o/r#7")]),
        (
            "updatePullRequest",
            {"pullRequestId": "PR_7", "baseRefName": "main", "body": "b"},
            [("update-own-pr", "o/r#7")],
        ),
        ("updatePullRequest", {"pullRequestId": "PR_7", "baseRefName": "dev"}, UNKNOWN),
        ("updatePullRequest", {"pullRequestId": "PR_7", "surprise": 1}, UNKNOWN),
        ("updatePullRequest", {"pullRequestId": "PR_7", "labelIds": ["L_bug"]}, [("remove-hold", "o/r#7")]),
        (
            "updatePullRequest",
            {"pullRequestId": "PR_7", "labelIds": None},
            [("update-own-pr", "o/r#7"), ("remove-hold", "o/r#7")],
        ),
        (
            "updatePullRequest",
            {"pullRequestId": "PR_7", "labelIds": ["L_bug", "L_hold"]},
            [("update-own-pr", "o/r#7")],
        ),
        ("updatePullRequest", {"pullRequestId": "PR_8", "title": "t"}, [("edit-others-text", "o/r#8")]),
        ("closePullRequest", {"pullRequestId": "PR_7"}, [("update-own-pr", "o/r#7")]),
        ("reopenPullRequest", {"pullRequestId": "PR_7"}, [("update-own-pr", "o/r#7")]),
        ("markPullRequestReadyForReview", {"pullRequestId": "PR_7"}, [("update-own-pr", "o/r#7")]),
        ("convertPullRequestToDraft", {"pullRequestId": "PR_8"}, [("edit-others-text", "o/r#8")]),
        ("addLabelsToLabelable", {"labelableId": "I_4", "labelIds": ["L_bug"]}, [("label-own", "o/r#4")]),
        (
            "removeLabelsFromLabelable",
            {"labelableId": "PR_7", "labelIds": ["L_bug"]},
            [("update-own-pr", "o/r#7")],
        ),
        (
            "removeLabelsFromLabelable",
            {"labelableId": "PR_7", "labelIds": ["L_hold"]},
            [("remove-hold", "o/r#7")],
        ),
        (
            "removeLabelsFromLabelable",
            {"labelableId": "PR_7", "labelIds": ["L_9"]},
            [("remove-hold", "o/r#7")],
        ),
        ("clearLabelsFromLabelable", {"labelableId": "PR_7"}, [("remove-hold", "o/r#7")]),
        ("clearLabelsFromLabelable", {"labelableId": "I_4"}, [("label-own", "o/r#4")]),
        ("addPullRequestReview", {"pullRequestId": "PR_8", "event": "APPROVE"}, [("approve", "o/r#8")]),
        ("addPullRequestReview", {"pullRequestId": "PR_7", "event": "APPROVE"}, [("!approve", "o/r#7")]),
        ("addPullRequestReview", {"pullRequestId": "PR_9", "event": "APPROVE"}, [("!approve", "o/r#9")]),
        ("addPullRequestReview", {"pullRequestId": "PR_8"}, [("review-comment", "o/r#8")]),
        (
            "submitPullRequestReview",
            {"pullRequestReviewId": "V_8", "event": "APPROVE"},
            [("approve", "o/r#8")],
        ),
        ("requestReviews", {"pullRequestId": "PR_7", "userIds": ["U_1"]}, [("update-own-pr", "o/r#7")]),
        ("mergePullRequest", {"pullRequestId": "PR_9"}, [("!request-merge", "o/r#9")]),
        ("mergePullRequest", {"pullRequestId": ""}, [("!request-merge", "")]),
        ("enablePullRequestAutoMerge", {"pullRequestId": "PR_7"}, [("enable-auto-merge", "o/r#7")]),
        ("enqueuePullRequest", {"pullRequestId": "PR_7"}, [("enable-auto-merge", "o/r#7")]),
        ("mergeBranch", {"repositoryId": "R_1"}, [("merge-directly", "o/r")]),
        ("dismissPullRequestReview", {"pullRequestReviewId": "V_8"}, [("forge-signal", "o/r#8")]),
        ("resolveReviewThread", {"threadId": "T_own"}, [("review-comment", "o/r#8")]),
        ("resolveReviewThread", {"threadId": "T_ada"}, [("forge-signal", "o/r#8")]),
        ("resolveReviewThread", {"threadId": "T_9"}, [("forge-signal", "T_9")]),
        ("createCheckRun", {"repositoryId": "R_1"}, [("forge-signal", "o/r")]),
        ("createDeployment", {"repositoryId": "R_1"}, [("forge-signal", "o/r")]),
        ("createLabel", {"repositoryId": "R_1"}, [("forge-signal", "o/r")]),
        ("deleteRef", {"refId": "REF_own"}, [("push-own-branch", "o/r@refs/heads/hive/quality/x2")]),
        ("deleteRef", {"refId": "REF_main"}, [("delete-branch", "o/r@refs/heads/main")]),
        ("deleteRef", {"refId": "REF_9"}, UNKNOWN),
        (
            "updateRef",
            {"refId": "REF_main", "oid": "1", "force": True},
            [("force-push-default", "o/r@refs/heads/main")],
        ),
        (
            "createRef",
            {"repositoryId": "R_1", "name": "refs/heads/hive/quality/n", "oid": "1"},
            [("!push-own-branch", "o/r@refs/heads/hive/quality/n")],
        ),
        (
            "createRef",
            {"repositoryId": "R_1", "name": "refs/tags/v1", "oid": "1"},
            [("push-tag", "o/r@refs/tags/v1")],
        ),
        (
            "updateRefs",
            {"repositoryId": "R_1", "refUpdates": [{"name": "refs/heads/main", "afterOid": "1"}]},
            [("push-default-branch", "o/r@refs/heads/main")],
        ),
        (
            "createCommitOnBranch",
            {
                "branch": {"repositoryNameWithOwner": "o/r", "branchName": "hive/quality/n"},
                "fileChanges": {"additions": [{"path": ".github/workflows/ci.yml"}]},
            },
            [
                ("push-own-branch", "o/r@refs/heads/hive/quality/n"),
                ("change-workflow", "o/r:.github/workflows/ci.yml"),
            ],
        ),
        (
            "createCommitOnBranch",
            {"branch": {"id": "REF_main"}, "fileChanges": {}},
            [("push-default-branch", "o/r@refs/heads/main")],
        ),
        ("createBranchProtectionRule", {"repositoryId": "R_1"}, [("change-protection", "o/r")]),
        ("deleteRepositoryRuleset", {"repositoryRulesetId": "x"}, [("change-protection", "o/r")]),
        ("updateRepository", {"repositoryId": "R_1"}, [("change-settings", "o/r")]),
        ("addStar", {"starrableId": "R_1"}, UNKNOWN),
    ],
)
def test_each_mutation_is_the_action_that_it_does(
    field: str, given: dict[str, object], expected: Told
) -> None:
    assert mutation(field, given) == expected


@pytest.mark.parametrize(
    ("field", "given", "expected"),
    [
        ("submitPullRequestReview", {"pullRequestReviewId": "V_8"}, [("approve", "o/r#8")]),
        (
            "submitPullRequestReview",
            {"pullRequestReviewId": "V_8", "pullRequestId": "PR_8"},
            [("approve", "o/r#8")],
        ),
        ("submitPullRequestReview", {"pullRequestReviewId": "V_8", "pullRequestId": "PR_7"}, UNKNOWN),
        (
            "submitPullRequestReview",
            {"pullRequestReviewId": "V_unknown", "pullRequestId": "PR_8"},
            [("!approve", "V_unknown")],
        ),
    ],
)
def test_a_review_named_twice_has_to_be_one_pull_requests(
    field: str, given: dict[str, object], expected: Told
) -> None:
    assert mutation(field, {"event": "APPROVE", **given}) == expected


def test_a_comment_on_a_review_of_another_pull_request_is_unknown() -> None:
    given = {"pullRequestId": "PR_9", "pullRequestReviewId": "V_8", "body": "b"}
    assert mutation("addPullRequestReviewThread", given) == UNKNOWN
    assert mutation("addPullRequestReviewComment", {**given, "pullRequestReviewId": None}) == [
        ("review-comment", "o/r#9")
    ]


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("createIssue", {"repositoryId": "R_1", "title": "t", "parentIssueId": "I_X"}),
        ("createIssue", {"repositoryId": "R_1", "title": "t", "projectV2Ids": ["P_1"]}),
        ("closeIssue", {"issueId": "I_4", "duplicateIssueId": "I_5"}),
        ("addComment", {"subjectId": "I_5", "body": "b", "surprise": 1}),
        ("mergePullRequest", {"pullRequestId": "PR_8", "surprise": 1}),
    ],
)
def test_an_input_that_hive_does_not_know_makes_a_mutation_unknown(
    field: str, given: dict[str, object]
) -> None:
    assert mutation(field, given) == UNKNOWN


@pytest.mark.parametrize(
    "query",
    [
        'mutation { addComment(input: {subjectId: "I_5", subjectId: "I_X", body: "b"}) { __typename } }',
        'mutation { updateRefs(input: {repositoryId: "R_1", refUpdates: [{name: "a", name: "b"}]}) { x } }',
        'mutation($i: X = {subjectId: "I_5", body: "b", body: "c"}) { addComment(input: $i) { x } }',
        'query($a: ID = "R_2", $a: ID = "R_1") { node(id: $a) { id } }',
        '{ repository(owner: "o", name: "r", name: "other") { id } }',
    ],
)
def test_a_name_given_twice_is_unknown(query: str) -> None:
    assert graphql(query) == UNKNOWN


def test_a_field_whose_variable_has_no_value_is_not_given() -> None:
    query = """mutation($title: String, $state: IssueState, $labels: [ID!]) {
      updateIssue(input: {id: "I_4", title: $title, state: $state, labelIds: $labels}) { __typename } }"""
    assert graphql(query, {"title": "t"}) == [("file-issue", "o/r#4")]
    assert graphql(query, {"state": "CLOSED"}) == [("close-own", "o/r#4")]
    assert graphql(query, {"labels": [None]}) == UNKNOWN
