"""The same forbidden thing by routes and spellings that are easily forgotten."""

from __future__ import annotations

import pytest

from tests.decisions.requests.asking import UNKNOWN, mutation, rest

OWN = "hive/quality/new"
ZEROS = "0" * 40


def commit(path: str, *, by: str = "additions") -> list[tuple[str, str]]:
    change = {"path": path, "contents": "YQ=="} if by == "additions" else {"path": path}
    branch = {"repositoryNameWithOwner": "o/r", "branchName": OWN}
    given = {"branch": branch, "message": {"headline": "h"}, "fileChanges": {by: [change]}}
    return mutation("createCommitOnBranch", given)


@pytest.mark.parametrize("by", ["additions", "deletions"])
@pytest.mark.parametrize(
    "path",
    [
        "./.github/workflows/ci.yml",
        "/.github/workflows/ci.yml",
        ".github//workflows/ci.yml",
        ".github/./workflows/ci.yml",
        "docs/../.github/workflows/ci.yml",
        ".github\\workflows\\ci.yml",
        "docs/",
        "a\nb",
        "",
    ],
)
def test_a_commit_over_the_api_names_its_files_as_git_spells_them(path: str, by: str) -> None:
    assert commit(path, by=by) == UNKNOWN


@pytest.mark.parametrize("path", ["src/..a.py", ".github.md", "a b/é.txt", "-x"])
def test_a_plain_path_stays_a_push(path: str) -> None:
    assert commit(path) == [("push-own-branch", f"o/r@refs/heads/{OWN}")]


def test_contents_are_written_under_a_plain_path_alone() -> None:
    body = {"message": "m", "content": "YQ==", "branch": OWN}
    assert rest("PUT", "/repos/o/r/contents/.github%5Cworkflows%5Cci.yml", body) == UNKNOWN


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        ("refs/heads/main", ("delete-branch", "o/r@refs/heads/main")),
        (f"refs/heads/{OWN}", ("push-own-branch", f"o/r@refs/heads/{OWN}")),
        ("refs/tags/v1", ("push-tag", "o/r@refs/tags/v1")),
    ],
)
def test_setting_a_ref_to_the_id_of_nothing_deletes_it(ref: str, expected: tuple[str, str]) -> None:
    given = {"repositoryId": "R_1", "refUpdates": [{"name": ref, "afterOid": ZEROS}]}
    assert mutation("updateRefs", given) == [expected]


@pytest.mark.parametrize(
    ("method", "path", "action"),
    [
        ("POST", "actions/runs/5/pending_deployments", "forge-signal"),
        ("POST", "actions/runs/5/deployment_protection_rule", "forge-signal"),
        ("POST", "actions/runs/5/approve", "dispatch-workflow"),
        ("PATCH", "code-scanning/alerts/3", "forge-signal"),
        ("POST", "code-scanning/sarifs", "forge-signal"),
        ("PATCH", "secret-scanning/alerts/3", "forge-signal"),
        ("POST", "secret-scanning/push-protection-bypasses", "forge-signal"),
        ("PATCH", "dependabot/alerts/3", "forge-signal"),
        ("PATCH", "code-scanning/default-setup", "change-settings"),
        ("POST", "environments/prod%2Feu/deployment-branch-policies", "change-settings"),
        ("DELETE", "environments/prod/deployment-branch-policies/3", "change-settings"),
        ("POST", "environments/prod/deployment_protection_rules", "change-settings"),
        ("DELETE", "environments/prod/deployment_protection_rules/3", "change-settings"),
        ("PUT", "interaction-limits", "change-settings"),
        ("DELETE", "lfs", "change-settings"),
        ("PUT", "immutable-releases", "change-settings"),
        ("PUT", "actions/oidc/customization/sub", "change-settings"),
        ("POST", "actions/runners/registration-token", "change-settings"),
        ("POST", "pages/deployments", "change-settings"),
    ],
)
def test_signals_and_settings_that_have_routes_of_their_own(method: str, path: str, action: str) -> None:
    assert rest(method, f"/repos/o/r/{path}", {}) == [(action, "o/r")]


@pytest.mark.parametrize(
    "line",
    [
        "/label approved",
        "/remove-label do-not-merge",
        "/remove-lifecycle stale",
        "/unassign @ada",
        "/azp run",
        "/gcbrun",
        "/gemini review",
        "@rustbot label +S-ready",
        '@pytorchbot merge -f "green"',
        "@cursor fix this",
        "@devin please look",
    ],
)
def test_more_bots_take_commands_than_the_best_known(line: str) -> None:
    told = rest("POST", "/repos/o/r/issues/5/comments", {"body": f"Seen.\n\n{line}"})
    assert told == [("comment", "o/r#5"), ("command-bot", "o/r#5")]


@pytest.mark.parametrize("line", ["see /label in the docs", "thanks, @cursor", "/labels/a.png is gone"])
def test_words_about_bots_are_no_commands(line: str) -> None:
    assert rest("POST", "/repos/o/r/issues/5/comments", {"body": line}) == [("comment", "o/r#5")]
