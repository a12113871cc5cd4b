"""Comments on lines: their threads, what becomes of them with a push, and who sees them."""

from typing import Any

from tests.standins.github.harness import World
from tests.standins.github.openapi import problems

_LINES = "".join(f"line {number}\n" for number in range(1, 11))
_THREADS = """query($id: ID!) {node(id: $id) {... on PullRequest {reviewThreads(first: 10) {totalCount nodes {
    id path line originalLine isResolved isOutdated resolvedBy {login}
    comments(first: 10) {nodes {body author {login} replyTo {body} pullRequestReview {state}}}}}}}}"""


def _threads(world: World, pull: Any) -> list[Any]:
    found: list[Any] = world.graphql(_THREADS, id=pull["node_id"])["data"]["node"]["reviewThreads"]["nodes"]
    return found


def _checked(world: World, method: str, path: str, body: Any = None, token: str = "token-ada") -> Any:
    answer = world.call(method, path, body, token=token)
    assert answer.status < 300, answer
    assert problems(method, path, answer.status, answer.body) == [], path
    return answer.body


def test_a_review_with_remarks_makes_threads_that_are_answered_and_resolved(world: World) -> None:
    pull = world.open_pull("topic", {"a.txt": _LINES})
    path = f"/repos/o/r/pulls/{pull['number']}"
    remarks = [{"path": "a.txt", "line": 3, "body": "Three?"}, {"path": "a.txt", "line": 8, "body": "Eight?"}]
    asked = {"event": "REQUEST_CHANGES", "body": "Two things", "comments": remarks}
    review = _checked(world, "POST", f"{path}/reviews", asked)
    said = _checked(world, "GET", f"{path}/reviews/{review['id']}/comments")
    _checked(world, "GET", f"{path}/comments")
    _checked(world, "POST", f"{path}/comments/{said[0]['id']}/replies", {"body": "Done."}, "token-hive")
    _checked(world, "PATCH", f"/repos/o/r/pulls/comments/{said[1]['id']}", {"body": "Eight, really?"})
    _checked(world, "GET", "/repos/o/r/pulls/comments")
    first, second = _threads(world, pull)
    assert [comment["body"] for comment in first["comments"]["nodes"]] == ["Three?", "Done."]
    assert first["comments"]["nodes"][1]["replyTo"] == {"body": "Three?"}
    assert (second["line"], second["isResolved"], second["comments"]["nodes"][0]["body"]) == (
        8,
        False,
        "Eight, really?",
    )
    mutation = "mutation($id: ID!) {resolveReviewThread(input: {threadId: $id}) {thread {id}}}"
    world.graphql(mutation, id=first["id"])
    assert [(t["isResolved"], (t["resolvedBy"] or {}).get("login")) for t in _threads(world, pull)] == [
        (True, "hive[bot]"),
        (False, None),
    ]
    world.graphql(mutation.replace("resolve", "unresolve"), id=first["id"])
    assert [thread["isResolved"] for thread in _threads(world, pull)] == [False, False]


def test_a_push_moves_the_lines_of_a_thread_or_makes_it_outdated(world: World) -> None:
    pull = world.open_pull("topic", {"a.txt": _LINES})
    for line in (3, 8):
        remark = {"path": "a.txt", "line": line, "body": f"{line}?"}
        _checked(world, "POST", f"/repos/o/r/pulls/{pull['number']}/comments", remark)
    changed = _LINES.replace("line 3\n", "better 3\n").replace("line 6\n", "line 6\nline 6b\n")
    world.push("topic", {"a.txt": changed}, base="origin/topic")
    assert [(t["line"], t["originalLine"], t["isOutdated"]) for t in _threads(world, pull)] == [
        (None, 3, True),
        (9, 8, False),
    ]
    shown = _checked(world, "GET", f"/repos/o/r/pulls/{pull['number']}/comments")
    assert [comment.get("line") for comment in shown] == [None, 9]


def test_a_line_that_the_diff_does_not_show_takes_no_comment(world: World) -> None:
    pull = world.open_pull("topic", {"a.txt": _LINES})
    path = f"/repos/o/r/pulls/{pull['number']}/comments"
    answer = world.call("POST", path, {"path": "a.txt", "line": 11, "body": "?"})
    assert (answer.status, "must be part of the diff" in answer.body["errors"][0]["message"]) == (422, True)
    assert world.call("POST", path, {"path": "b.txt", "line": 1, "body": "?"}).status == 422


def test_a_review_that_is_not_submitted_is_its_authors_alone(world: World) -> None:
    pull = world.open_pull("topic", {"a.txt": _LINES})
    path = f"/repos/o/r/pulls/{pull['number']}"
    begun = _checked(
        world, "POST", f"{path}/reviews", {"comments": [{"path": "a.txt", "line": 1, "body": "?"}]}
    )
    assert begun["state"] == "PENDING"
    assert _threads(world, pull) == []
    assert world.call("GET", f"{path}/comments").body == []
    assert world.call("GET", f"{path}/reviews/{begun['id']}").status == 404
    _checked(world, "POST", f"{path}/reviews/{begun['id']}/events", {"event": "COMMENT", "body": "Look."})
    assert [thread["line"] for thread in _threads(world, pull)] == [1]


def test_reviewers_are_asked_again_and_teams_too(world: World) -> None:
    from hive.standins.github.records_access import Team

    with world.forge.transaction():
        owner, ada = world.forge.account("o"), world.forge.account("ada")
        assert owner is not None
        assert ada is not None
        world.forge.store.teams.put(Team(1, owner.id, "core", "Core", [ada.id]))
    pull = world.open_pull("topic")
    path = f"/repos/o/r/pulls/{pull['number']}/requested_reviewers"
    asked = {"reviewers": ["ada"], "team_reviewers": ["core"]}
    assert [t["slug"] for t in _checked(world, "POST", path, asked)["requested_teams"]] == ["core"]
    world.call("POST", f"/repos/o/r/pulls/{pull['number']}/reviews", {"event": "APPROVE"}, token="token-ada")
    assert _checked(world, "GET", path) == {"users": [], "teams": []}
    _checked(world, "POST", path, {"reviewers": ["ada"]})
    assert [who["login"] for who in _checked(world, "GET", path)["users"]] == ["ada"]
