"""Every kind of REST answer, held against GitHub's own OpenAPI description."""

from typing import Any

from tests.standins.github.harness import World
from tests.standins.github.openapi import problems

_R = "/repos/o/r"


def _checked(world: World, method: str, path: str, body: Any = None, **options: Any) -> Any:
    answer = world.call(method, path, body, **options)
    assert answer.status < 400, (method, path, answer)
    assert problems(method, path, answer.status, answer.body) == [], (method, path)
    return answer.body


def test_what_is_read_of_accounts_and_repositories(world: World) -> None:
    for path in ("/user", "/users/ada", "/rate_limit", "/search/issues?q=repo:o/r+is:issue", _R):
        _checked(world, "GET", path)
    for path in ("/branches", "/branches/main", "/commits", "/commits/main", "/labels", "/labels/bug"):
        _checked(world, "GET", _R + path)
    for path in ("/contents/src", "/contents/src/gr%C3%BCn.txt", "/git/ref/heads/main"):
        _checked(world, "GET", _R + path)
    _checked(world, "GET", _R + "/git/matching-refs/heads")
    _checked(world, "GET", _R + "/collaborators/ada/permission")


def test_issues_their_labels_and_their_history(world: World) -> None:
    made = _checked(world, "POST", f"{_R}/issues", {"title": "New", "body": "b", "labels": ["bug"]})
    issue = f"{_R}/issues/{made['number']}"
    _checked(world, "GET", f"{_R}/issues?state=all&per_page=2")
    _checked(world, "POST", f"{issue}/labels", {"labels": ["hold", "docs"]})
    _checked(world, "PUT", f"{issue}/labels", {"labels": ["hold"]})
    _checked(world, "DELETE", f"{issue}/labels/hold")
    _checked(world, "GET", f"{issue}/labels")
    _checked(world, "POST", f"{issue}/assignees", {"assignees": ["ada"]})
    _checked(world, "DELETE", f"{issue}/assignees", {"assignees": ["ada"]})
    comment = _checked(world, "POST", f"{issue}/comments", {"body": "said"})
    _checked(world, "PATCH", f"{_R}/issues/comments/{comment['id']}", {"body": "better"})
    _checked(world, "GET", f"{_R}/issues/comments/{comment['id']}")
    _checked(world, "GET", f"{issue}/comments")
    _checked(world, "PATCH", issue, {"title": "Newer", "state": "closed", "state_reason": "not_planned"})
    _checked(world, "PATCH", issue, {"state": "open"})
    _checked(world, "GET", issue)
    _checked(world, "GET", f"{issue}/events")
    _checked(world, "GET", f"{issue}/timeline")
    _checked(world, "POST", f"{_R}/labels", {"name": "new", "color": "123456"})
    _checked(world, "PATCH", f"{_R}/labels/new", {"new_name": "newer"})


def test_a_pull_request_from_its_opening_to_its_merge(world: World) -> None:
    head = world.push("topic", {"b.txt": "b\n", "README.md": "# changed\n"})
    wanted = {"title": "T", "body": "Fixes #1", "head": "topic", "base": "main"}
    pull = f"{_R}/pulls/{_checked(world, 'POST', f'{_R}/pulls', wanted)['number']}"
    _checked(world, "GET", f"{_R}/pulls?state=all")
    _checked(world, "PATCH", pull, {"title": "T2"})
    for part in ("", "", "/files", "/commits", "/reviews", "/comments", "/requested_reviewers"):
        _checked(world, "GET", pull + part)
    _checked(world, "POST", f"{pull}/requested_reviewers", {"reviewers": ["eve"]})
    _checked(world, "DELETE", f"{pull}/requested_reviewers", {"reviewers": ["eve"]})
    _checked(world, "POST", f"{pull}/reviews", {"event": "APPROVE"}, token="token-ada")
    _checked(world, "GET", f"{pull}/reviews")
    _checked(world, "GET", f"{_R}/compare/main...topic")
    _checked(world, "GET", f"{_R}/commits/{head}")
    _checked(world, "PUT", f"{pull}/merge", {"sha": head})
    _checked(world, "GET", pull)
    _checked(world, "GET", pull.replace("pulls", "issues") + "/events")
    _checked(world, "GET", pull.replace("pulls", "issues") + "/timeline")


def test_checks_statuses_and_refs(world: World) -> None:
    head = world.push("topic", {"b.txt": "b\n"})
    run = _checked(world, "POST", f"{_R}/check-runs", {"name": "lint", "head_sha": head})
    done = {"status": "completed", "conclusion": "success", "output": {"title": "t", "summary": "s"}}
    _checked(world, "PATCH", f"{_R}/check-runs/{run['id']}", done)
    _checked(world, "GET", f"{_R}/check-runs/{run['id']}")
    _checked(world, "GET", f"{_R}/commits/{head}/check-runs")
    _checked(world, "POST", f"{_R}/statuses/{head}", {"state": "pending", "context": "ci"})
    _checked(world, "GET", f"{_R}/commits/topic/status")
    _checked(world, "GET", f"{_R}/commits/topic/statuses")
    _checked(world, "POST", f"{_R}/git/refs", {"ref": "refs/heads/other", "sha": head})
    _checked(world, "PATCH", f"{_R}/git/refs/heads/other", {"sha": head, "force": True})


def test_the_check_sees_what_is_wrong() -> None:
    assert problems("GET", "/repos/o/r/labels/bug", 200, {"name": "bug"})
