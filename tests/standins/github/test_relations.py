"""What issues hang on, and files changed without git."""

import base64
from typing import Any

from tests.standins.github.harness import World
from tests.standins.github.openapi import problems

_ISSUES = "/repos/o/r/issues"


def _checked(world: World, method: str, path: str, body: Any = None) -> Any:
    answer = world.call(method, path, body)
    assert answer.status < 300, (path, answer)
    assert problems(method, path, answer.status, answer.body) == [], path
    return answer.body


def test_issues_wait_for_others_and_never_in_a_circle(world: World) -> None:
    first, second = (_checked(world, "GET", f"{_ISSUES}/{number}")["id"] for number in (1, 5))
    _checked(world, "POST", f"{_ISSUES}/5/dependencies/blocked_by", {"issue_id": first})
    assert [i["number"] for i in _checked(world, "GET", f"{_ISSUES}/5/dependencies/blocked_by")] == [1]
    assert [i["number"] for i in _checked(world, "GET", f"{_ISSUES}/1/dependencies/blocking")] == [5]
    circle = world.call("POST", f"{_ISSUES}/1/dependencies/blocked_by", {"issue_id": second})
    assert circle.status == 422
    assert _checked(world, "GET", f"{_ISSUES}/5")["issue_dependencies_summary"]["blocked_by"] == 1
    query = '{repository(owner: "o", name: "r") {issue(number: 5) {blockedBy(first: 5) {nodes {number}}}}}'
    assert world.graphql(query)["data"]["repository"]["issue"] == {"blockedBy": {"nodes": [{"number": 1}]}}
    _checked(world, "DELETE", f"{_ISSUES}/5/dependencies/blocked_by/{first}")
    assert _checked(world, "GET", f"{_ISSUES}/5/dependencies/blocked_by") == []


def test_parts_types_milestones_and_locks(world: World) -> None:
    part = _checked(world, "GET", f"{_ISSUES}/5")["id"]
    _checked(world, "POST", f"{_ISSUES}/1/sub_issues", {"sub_issue_id": part})
    assert [i["number"] for i in _checked(world, "GET", f"{_ISSUES}/1/sub_issues")] == [5]
    assert _checked(world, "GET", f"{_ISSUES}/5/parent")["number"] == 1
    made = _checked(world, "POST", "/repos/o/r/milestones", {"title": "1.0"})
    changed = _checked(world, "PATCH", f"{_ISSUES}/5", {"milestone": made["number"], "type": "Bug"})
    assert (changed["milestone"]["title"], changed["type"]["name"]) == ("1.0", "Bug")
    assert world.call("PUT", f"{_ISSUES}/5/lock", {"lock_reason": "spam"}).status == 204
    assert _checked(world, "GET", f"{_ISSUES}/5")["active_lock_reason"] == "spam"
    events = [event["event"] for event in _checked(world, "GET", f"{_ISSUES}/events")]
    assert events[:2] == ["locked", "milestoned"]
    _checked(world, "GET", "/repos/o/r/issues/comments")
    _checked(world, "GET", "/repos/o/r/assignees")


def test_a_file_is_changed_only_by_who_has_seen_it(world: World) -> None:
    path = "/repos/o/r/contents/notes/a.txt"
    asked = {"message": "Add", "content": base64.b64encode(b"one\n").decode(), "branch": "main"}
    made = _checked(world, "PUT", path, asked)
    blind = world.call("PUT", path, asked)
    assert blind.status == 422
    stale = world.call("PUT", path, {**asked, "sha": "0" * 40})
    assert stale.status == 409
    _checked(world, "PUT", path, {**asked, "message": "Again", "sha": made["content"]["sha"]})
    shown = _checked(world, "GET", path)
    assert base64.b64decode(shown["content"]) == b"one\n"
    _checked(world, "DELETE", path, {"message": "Remove", "sha": shown["sha"]})
    assert world.call("GET", path).status == 404
