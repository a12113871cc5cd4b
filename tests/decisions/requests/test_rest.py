from __future__ import annotations

import pytest

from tests.decisions.requests.asking import UNKNOWN, Told, rest

READ: Told = [("read", "o/r")]


@pytest.mark.parametrize(
    "path",
    [
        "/repos/o/r",
        "/repos/O/R/issues?state=open",
        "/repos/o/r/pulls/7/files",
        "/repos/o/r/commits/main/check-runs",
        "/repos/o/r/contents/src/a%20b.py",
        "/repos/o/r/contents/src%2Fa.py",
        "/repos/o/r/branches/hive%2Fquality%2Fx",
        "/repos/o/r/actions/runs/1/logs",
        "/user",
        "/rate_limit",
        "/",
    ],
)
def test_reads_within_the_repository_and_of_the_callers_identity_are_reads(path: str) -> None:
    assert rest("GET", path) == READ
    assert rest("HEAD", path) == READ


@pytest.mark.parametrize(
    "path",
    [
        "/repos/other/place",
        "/repos/other/place/issues",
        "/repositories/1",
        "/user/repos",
        "/users/ada",
        "/orgs/o/repos",
        "/search/issues?q=repo:o/r",
        "/repos/o/r/hooks",
        "/repos/o/r/keys",
        "/repos/o/r/actions/secrets",
        "/repos/o/r/secret-scanning/alerts",
        "/repos/o/r/branches/main/protection",
        "/repos/o/r/forks",
        "/repos/o/r/compare/main...eve:main",
        "/graphql",
        "/notifications",
    ],
)
def test_reads_beyond_the_repository_or_of_its_secrets_are_unknown(path: str) -> None:
    assert rest("GET", path) == UNKNOWN


@pytest.mark.parametrize(
    "path",
    [
        "/Repos/o/r/pulls/7/merge",
        "/repos/o/r/pulls/7/Merge",
        "/repos/o/r//pulls/7/merge",
        "/repos/o/r/./pulls/7/merge",
        "/repos/o/r/x/../pulls/7/merge",
        "/repos/o/r/x/%2e%2e/pulls/7/merge",
        "/repos/o/r/pulls/7%2Fmerge",
        "/repos/o/r/pulls/7/merge/",
        "/repos/o/r/pulls/07/merge",
        "/repos/o/r/pulls/7/merge?x=1",
        "/repos/o/r/pulls/7/merge#x",
        "/repos/o/r/pulls/7/merge.json",
        "/repos/o/r/pulls/7/merge;x",
        "/repos/o/r/pulls/7/%6Derge%",
        "/repos/o%2Fr/pulls/7/merge",
        "/repositories/1/pulls/7/merge",
    ],
)
def test_a_path_in_any_but_its_canonical_form_is_unknown(path: str) -> None:
    assert rest("PUT", path) == UNKNOWN


def test_a_segment_is_percent_decoded_once() -> None:
    assert rest("PUT", "/repos/o/r/pulls/7/%6Derge") == [("request-merge", "o/r#7")]
    assert rest("PUT", "/repos/o/r/pulls/7/%256Derge") == UNKNOWN


@pytest.mark.parametrize(
    ("host", "understood"),
    [
        ("api.github.com", True),
        ("API.GitHub.com", True),
        ("api.github.com.", True),
        ("api.github.com:443", True),
        ("api.github.com.:443", True),
        ("api.github.com:80", False),
        ("api.github.com:8443", False),
        ("api.github.com..", False),
        ("github.com", False),
        ("api.github.com.evil.example", False),
        ("140.82.112.5", False),
        ("[::1]", False),
        ("", False),
        ("user@api.github.com", False),
    ],
)
def test_hosts_are_compared_by_their_canonical_names(host: str, understood: bool) -> None:
    assert rest("GET", "/repos/o/r", host=host) == (READ if understood else UNKNOWN)


@pytest.mark.parametrize(
    ("target", "understood"),
    [
        ("https://api.github.com/repos/o/r", True),
        ("HTTPS://API.github.com:443/repos/o/r", True),
        ("http://api.github.com/repos/o/r", True),
        ("https://evil.example/repos/o/r", False),
        ("https://github.com/repos/o/r", False),
        ("https://user:pw@api.github.com/repos/o/r", False),
        ("ftp://api.github.com/repos/o/r", False),
        ("repos/o/r", False),
        ("*", False),
    ],
)
def test_an_absolute_target_has_to_agree_with_the_host(target: str, understood: bool) -> None:
    assert rest("GET", target) == (READ if understood else UNKNOWN)


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        ("POST", "issues", {"title": "t"}, [("file-issue", "o/r")]),
        ("PATCH", "issues/4", {"title": "t"}, [("file-issue", "o/r#4")]),
        ("PATCH", "issues/5", {"title": "t"}, [("edit-others-text", "o/r#5")]),
        ("PATCH", "issues/4", {"state": "closed"}, [("close-own", "o/r#4")]),
        ("PATCH", "issues/5", {"state": "closed"}, [("edit-others-text", "o/r#5")]),
        ("PATCH", "issues/7", {"state": "closed"}, [("update-own-pr", "o/r#7")]),
        ("PATCH", "issues/99", {"state": "closed"}, [("!unknown", "o/r#99")]),
        (
            "PATCH",
            "issues/4",
            {"title": "t", "state": "open"},
            [("file-issue", "o/r#4"), ("close-own", "o/r#4")],
        ),
        ("PATCH", "issues/4", {"locked": True}, [("!unknown", "o/r")]),
        ("PATCH", "issues/4", {}, [("!unknown", "o/r")]),
        ("POST", "issues/5/comments", {"body": "b"}, [("comment", "o/r#5")]),
        ("POST", "issues/9/comments", {"body": "b"}, [("comment", "o/r#9")]),
        ("POST", "issues/99/comments", {"body": "b"}, [("!comment", "o/r#99")]),
        ("PATCH", "issues/comments/11", {"body": "b"}, [("comment", "o/r#5")]),
        ("PATCH", "issues/comments/12", {"body": "b"}, [("edit-others-text", "o/r#5")]),
        ("DELETE", "issues/comments/12", None, [("edit-others-text", "o/r#5")]),
        ("DELETE", "issues/comments/13", None, [("!edit-others-text", "o/r")]),
    ],
)
def test_issues_and_comments(method: str, path: str, body: object, told: Told) -> None:
    assert rest(method, f"/repos/o/r/{path}", body) == told


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        ("POST", "issues/4/labels", {"labels": ["bug"]}, [("label-own", "o/r#4")]),
        ("POST", "issues/7/labels", ["hold"], [("update-own-pr", "o/r#7")]),
        ("POST", "issues/5/labels", ["agent-ready"], [("edit-others-text", "o/r#5")]),
        ("DELETE", "issues/4/labels/bug", None, [("label-own", "o/r#4")]),
        ("DELETE", "issues/7/labels/bug", None, [("update-own-pr", "o/r#7")]),
        ("DELETE", "issues/7/labels/hold", None, [("remove-hold", "o/r#7")]),
        ("DELETE", "issues/7/labels/%48OLD", None, [("remove-hold", "o/r#7")]),
        ("DELETE", "issues/5/labels/hold", None, [("remove-hold", "o/r#5")]),
        ("DELETE", "issues/99/labels/hold", None, [("remove-hold", "o/r#99")]),
        ("DELETE", "issues/7/labels", None, [("remove-hold", "o/r#7")]),
        ("DELETE", "issues/4/labels", None, [("label-own", "o/r#4")]),
        ("PUT", "issues/7/labels", {"labels": ["bug"]}, [("remove-hold", "o/r#7")]),
        ("PUT", "issues/7/labels", {"labels": ["new", "hold"]}, [("update-own-pr", "o/r#7")]),
        ("PUT", "issues/99/labels", {"labels": ["hold"]}, [("remove-hold", "o/r#99")]),
        ("PATCH", "issues/7", {"labels": []}, [("remove-hold", "o/r#7")]),
        ("PATCH", "issues/4", {"labels": [{"name": "x"}]}, [("label-own", "o/r#4")]),
        ("PUT", "issues/4/labels", {"labels": 7}, [("!unknown", "o/r")]),
        ("POST", "labels", {"name": "x"}, [("forge-signal", "o/r")]),
        ("DELETE", "labels/hold", None, [("forge-signal", "o/r")]),
        ("PATCH", "labels/hold", {"new_name": "x"}, [("forge-signal", "o/r")]),
    ],
)
def test_labels_and_holds(method: str, path: str, body: object, told: Told) -> None:
    assert rest(method, f"/repos/o/r/{path}", body) == told


def opening(**changes: object) -> Told:
    body = {"title": "t", "head": "hive/quality/z", "base": "main", "body": "b", **changes}
    return rest("POST", "/repos/o/r/pulls", body)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, [("open-pr", "o/r")]),
        ({"head": "o:hive/quality/z"}, [("open-pr", "o/r")]),
        ({"draft": True}, [("open-pr", "o/r")]),
        ({"head": "eve:hive/quality/z"}, [("!open-pr", "o/r")]),
        ({"head": "hive/scanner/z"}, [("!open-pr", "o/r")]),
        ({"head": "hive/quality/"}, [("!unknown", "o/r")]),
        ({"head": "hive/quality/../../main"}, [("!unknown", "o/r")]),
        ({"head": "main"}, [("!open-pr", "o/r")]),
        ({"head_repo": "fork"}, [("!open-pr", "o/r")]),
        ({"issue": 5}, [("!unknown", "o/r")]),
        ({"draft": "yes"}, [("!unknown", "o/r")]),
        ({"body": "/approve"}, [("open-pr", "o/r"), ("command-bot", "o/r")]),
    ],
)
def test_a_pull_request_is_opened_from_an_own_branch_of_the_same_repository(
    changes: dict[str, object], told: Told
) -> None:
    assert opening(**changes) == told


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        ("PATCH", "pulls/7", {"title": "t"}, [("update-own-pr", "o/r#7")]),
        ("PATCH", "pulls/7", {"state": "closed"}, [("update-own-pr", "o/r#7")]),
        ("PATCH", "pulls/7", {"title": "t", "base": "main"}, [("update-own-pr", "o/r#7")]),
        ("PATCH", "pulls/7", {"base": "release"}, [("!unknown", "o/r")]),
        ("PATCH", "pulls/8", {"title": "t"}, [("edit-others-text", "o/r#8")]),
        ("PATCH", "pulls/5", {"title": "t"}, [("!unknown", "o/r#5")]),
        ("PUT", "pulls/7/merge", {}, [("request-merge", "o/r#7")]),
        ("PUT", "pulls/8/merge", None, [("request-merge", "o/r#8")]),
        ("PUT", "pulls/9/merge", None, [("!request-merge", "o/r#9")]),
        ("PUT", "pulls/99/merge", None, [("!request-merge", "o/r#99")]),
        ("POST", "merges", {"base": "main", "head": "x"}, [("merge-directly", "o/r")]),
        ("PUT", "pulls/7/update-branch", {}, [("update-own-pr", "o/r@refs/heads/hive/quality/x")]),
        ("PUT", "pulls/9/update-branch", {}, [("push-other-branch", "o/r@refs/heads/ada/z")]),
        ("POST", "pulls/7/requested_reviewers", {"reviewers": ["ada"]}, [("update-own-pr", "o/r#7")]),
        ("POST", "pulls/8/reviews", {"event": "COMMENT", "body": "b"}, [("review-comment", "o/r#8")]),
        ("POST", "pulls/9/reviews", {"event": "COMMENT", "body": "b"}, [("review-comment", "o/r#9")]),
        ("POST", "pulls/8/reviews", {"body": "b"}, [("review-comment", "o/r#8")]),
        ("POST", "pulls/8/reviews", {"event": "REQUEST_CHANGES"}, [("request-changes", "o/r#8")]),
        ("POST", "pulls/9/reviews", {"event": "REQUEST_CHANGES"}, [("!request-changes", "o/r#9")]),
        ("POST", "pulls/8/reviews", {"event": "APPROVE"}, [("approve", "o/r#8")]),
        ("POST", "pulls/7/reviews", {"event": "APPROVE"}, [("!approve", "o/r#7")]),
        ("POST", "pulls/9/reviews", {"event": "APPROVE"}, [("!approve", "o/r#9")]),
        ("POST", "pulls/8/reviews", {"event": "approve"}, [("unknown", "o/r#8")]),
        ("POST", "pulls/8/reviews/3/events", {"event": "APPROVE"}, [("approve", "o/r#8")]),
        ("PUT", "pulls/8/reviews/3/dismissals", {"message": "m"}, [("forge-signal", "o/r#8")]),
        ("POST", "pulls/8/comments", {"body": "b"}, [("review-comment", "o/r#8")]),
        ("POST", "pulls/8/comments/5/replies", {"body": "b"}, [("review-comment", "o/r#8")]),
    ],
)
def test_pull_requests_reviews_and_merges(method: str, path: str, body: object, told: Told) -> None:
    assert rest(method, f"/repos/o/r/{path}", body) == told


@pytest.mark.parametrize(
    ("method", "path", "body", "told"),
    [
        (
            "PUT",
            "contents/a.py",
            {"branch": "hive/quality/y"},
            [("push-own-branch", "o/r@refs/heads/hive/quality/y")],
        ),
        (
            "PUT",
            "contents/a.py",
            {"branch": "hive/quality/x"},
            [("update-own-pr", "o/r@refs/heads/hive/quality/x")],
        ),
        ("PUT", "contents/a.py", {}, [("push-default-branch", "o/r@refs/heads/main")]),
        ("PUT", "contents/a.py", {"branch": "main"}, [("push-default-branch", "o/r@refs/heads/main")]),
        (
            "PUT",
            "contents/a.py",
            {"branch": "refs/heads/main"},
            [("push-default-branch", "o/r@refs/heads/main")],
        ),
        ("DELETE", "contents/a.py", {"branch": "dev"}, [("push-other-branch", "o/r@refs/heads/dev")]),
        (
            "PUT",
            "contents/.github%2Fworkflows/ci.yml",
            {"branch": "hive/quality/y"},
            [
                ("push-own-branch", "o/r@refs/heads/hive/quality/y"),
                ("change-workflow", "o/r:.github/workflows/ci.yml"),
            ],
        ),
        (
            "POST",
            "git/refs",
            {"ref": "refs/heads/hive/quality/y", "sha": "1" * 40},
            [("!push-own-branch", "o/r@refs/heads/hive/quality/y")],
        ),
        (
            "POST",
            "git/refs",
            {"ref": "refs/heads/main", "sha": "1"},
            [("push-default-branch", "o/r@refs/heads/main")],
        ),
        ("POST", "git/refs", {"ref": "refs/tags/v1", "sha": "1"}, [("push-tag", "o/r@refs/tags/v1")]),
        ("PATCH", "git/refs/heads/main", {"sha": "1"}, [("push-default-branch", "o/r@refs/heads/main")]),
        (
            "PATCH",
            "git/refs/heads/main",
            {"sha": "1", "force": True},
            [("force-push-default", "o/r@refs/heads/main")],
        ),
        ("PATCH", "git/refs/heads%2Fdev", {"sha": "1"}, [("push-other-branch", "o/r@refs/heads/dev")]),
        ("DELETE", "git/refs/heads/main", None, [("delete-branch", "o/r@refs/heads/main")]),
        (
            "DELETE",
            "git/refs/heads/hive/scanner/y",
            None,
            [("delete-branch", "o/r@refs/heads/hive/scanner/y")],
        ),
        (
            "DELETE",
            "git/refs/heads/hive/quality/y",
            None,
            [("push-own-branch", "o/r@refs/heads/hive/quality/y")],
        ),
        ("DELETE", "git/refs/tags/v1", None, [("push-tag", "o/r@refs/tags/v1")]),
        ("PUT", "contents/a.py", {"branch": "hive/quality/../main"}, [("!unknown", "o/r")]),
        ("POST", "git/blobs", {}, [("!unknown", "o/r")]),
        ("POST", "git/trees", {}, [("!unknown", "o/r")]),
        ("POST", "git/commits", {}, [("!unknown", "o/r")]),
        ("POST", "git/tags", {}, [("!unknown", "o/r")]),
    ],
)
def test_writes_to_refs_and_contents_are_actions_on_the_branch_that_they_touch(
    method: str, path: str, body: object, told: Told
) -> None:
    assert rest(method, f"/repos/o/r/{path}", body) == told


@pytest.mark.parametrize(
    ("method", "path", "action"),
    [
        ("POST", "statuses/abc", "forge-signal"),
        ("POST", "check-runs", "forge-signal"),
        ("PATCH", "check-runs/3", "forge-signal"),
        ("POST", "deployments", "forge-signal"),
        ("POST", "deployments/3/statuses", "forge-signal"),
        ("PATCH", "", "change-settings"),
        ("DELETE", "", "change-settings"),
        ("PUT", "topics", "change-settings"),
        ("PUT", "environments/prod", "change-settings"),
        ("PUT", "branches/main/protection", "change-protection"),
        ("DELETE", "branches/feature%2Fx/protection/enforce_admins", "change-protection"),
        ("POST", "rulesets", "change-protection"),
        ("PUT", "rulesets/3", "change-protection"),
        ("PUT", "actions/secrets/KEY", "change-secrets"),
        ("PUT", "environments/prod/secrets/KEY", "change-secrets"),
        ("POST", "actions/variables", "change-secrets"),
        ("POST", "keys", "change-secrets"),
        ("PUT", "collaborators/eve", "change-collaborators"),
        ("POST", "hooks", "change-webhooks"),
        ("PATCH", "hooks/3/config", "change-webhooks"),
        ("PUT", "actions/workflows/ci.yml/disable", "change-workflow"),
        ("POST", "actions/workflows/ci.yml/dispatches", "dispatch-workflow"),
        ("POST", "dispatches", "dispatch-workflow"),
        ("POST", "actions/runs/3/rerun", "dispatch-workflow"),
        ("POST", "releases", "release"),
        ("DELETE", "releases/3", "release"),
    ],
)
def test_a_route_that_is_recognised_and_forbidden_carries_its_own_action(
    method: str, path: str, action: str
) -> None:
    whole = f"/repos/o/r/{path}" if path else "/repos/o/r"
    assert rest(method, whole, {}) == [(action, "o/r")]
    assert rest(method, f"{whole}?name=x", "no object") == [(action, "o/r")]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "MERGE"])
def test_a_route_that_is_not_listed_is_unknown(method: str) -> None:
    assert rest(method, "/repos/o/r/issues/5/lock", {}) == UNKNOWN
    assert rest(method, "/repos/other/place/issues", {"title": "t"}) == UNKNOWN
    assert rest(method, "/user/repos", {}) == UNKNOWN


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("/approve", True),
        ("text\n  /LGTM cancel", True),
        ("/merge", True),
        ("text\r/merge", True),
        ("text\u2028/merge", True),
        ("\ufeff\u200b /merge", True),
        ("@dependabot merge", True),
        ("@mergify[bot] queue", True),
        ("bors r+", True),
        ("see /approve for more", False),
        ("/approvement is a word", False),
        ("/etc/passwd is a path", False),
        ("@ada please look", False),
        ("thanks to @dependabot", False),
    ],
)
def test_a_comment_whose_line_is_a_command_to_another_bot(line: str, commands: bool) -> None:
    expected = [("comment", "o/r#5")] + ([("command-bot", "o/r#5")] if commands else [])
    assert rest("POST", "/repos/o/r/issues/5/comments", {"body": line}) == expected


@pytest.mark.parametrize(
    "path", [".github", ".github/workflows", ".GitHub/Actions", ".github/workflows/a/b.yml"]
)
def test_what_stands_where_the_workflows_are_changes_them(path: str) -> None:
    branch = {"branch": "hive/quality/n"}
    moved = ("push-own-branch", "o/r@refs/heads/hive/quality/n")
    assert rest("PUT", f"/repos/o/r/contents/{path}", branch) == [moved, ("change-workflow", f"o/r:{path}")]
    assert rest("PUT", f"/repos/o/r/contents/{path}x", branch)[:1] == [moved]
    assert rest("PUT", f"/repos/o/r/contents/docs/{path}", branch) == [moved]
