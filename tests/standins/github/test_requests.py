"""What all requests have in common: credentials, pages, ETags, limits, addresses, faults."""

import http.client
from typing import Any

import pytest

from tests.standins.github.harness import CONTROL, World, git

_ISSUES = "/repos/o/r/issues"


@pytest.mark.parametrize(
    "header",
    [
        "token token-ada",
        "Bearer token-ada",
        "Basic YW55Ym9keTp0b2tlbi1hZGE=",
        "Basic dG9rZW4tYWRhOg==",
    ],
)
def test_a_token_is_taken_in_every_way_that_github_takes_it(world: World, header: str) -> None:
    answer = world.call("GET", "/user", token=None, headers={"Authorization": header})
    assert (answer.status, answer.body["login"]) == (200, "ada")


def test_an_unknown_token_is_refused_even_for_what_everybody_may_read(world: World) -> None:
    answer = world.call("GET", _ISSUES, token="wrong")
    assert answer.status == 401
    assert answer.body == {
        "message": "Bad credentials",
        "documentation_url": "https://docs.github.com/rest",
        "status": "401",
    }


def test_what_is_public_needs_no_token_and_what_writes_does(world: World) -> None:
    assert world.call("GET", _ISSUES, token=None).status == 200
    assert world.call("POST", _ISSUES, {"title": "T"}, token=None).status == 401
    assert world.call("POST", f"{_ISSUES}/1/labels", {"labels": ["x"]}, token="token-eve").status == 403


def test_what_is_not_there_is_githubs_404(world: World) -> None:
    paths = (f"{_ISSUES}/99", "/repos/o/none", "/nothing", f"{_ISSUES}/x")
    assert {world.call("GET", path).status for path in paths} == {404}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "Problems parsing JSON"),
        (b'"text"', "Body should be a JSON object"),
    ],
)
def test_a_body_that_is_no_object_is_a_400(world: World, data: bytes, message: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", world.port, timeout=30)
    connection.request("POST", f"/api/v3{_ISSUES}", data, {"Authorization": "token token-hive"})
    response = connection.getresponse()
    said = response.read().decode()
    connection.close()
    assert response.status == 400
    assert message in said


def test_a_list_is_paged_by_link_headers(world: World) -> None:
    for number in range(5):
        world.call("POST", _ISSUES, {"title": f"Issue {number}"})
    path: str | None = f"{_ISSUES}?per_page=3&state=all"
    titles = []
    while path is not None:
        answer = world.call("GET", path)
        titles.append([issue["number"] for issue in answer.body])
        links = {
            part.split('rel="')[1].rstrip('"'): part.split(">")[0].strip(" <")
            for part in answer.headers.get("link", "").split(",")
            if part
        }
        following = links.get("next")
        path = following.split("/api/v3", 1)[1] if following else None
    assert titles == [[10, 9, 8], [7, 6, 1], [5]]


def test_an_answer_that_the_caller_has_is_a_304_and_costs_nothing(world: World) -> None:
    first = world.call("GET", _ISSUES)
    again = world.call("GET", _ISSUES, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]
    world.call("POST", f"{_ISSUES}/1/comments", {"body": "new"})
    assert world.call("GET", _ISSUES, headers={"If-None-Match": first.headers["etag"]}).status == 200


def test_the_hour_that_is_used_up_is_a_403_with_its_end(world: World) -> None:
    hive = world.forge.account("hive[bot]")
    window = world.service.limits.window(hive, "core")
    window.used = window.limit - 1
    answers = [world.call("GET", "/user") for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 403]
    assert answers[1].headers["x-ratelimit-remaining"] == "0"
    assert answers[1].headers["x-ratelimit-reset"] == str(window.reset)
    assert answers[1].body["message"].startswith("API rate limit exceeded")
    assert world.call("GET", "/rate_limit").body["resources"]["core"]["remaining"] == 0


def _addresses(node: Any) -> list[str]:
    if isinstance(node, dict):
        return [text for value in node.values() for text in _addresses(value)]
    if isinstance(node, list):
        return [text for value in node for text in _addresses(value)]
    return [node] if isinstance(node, str) and node.startswith("http") else []


def test_addresses_are_those_of_the_host_that_was_asked(world: World) -> None:
    here = world.call("GET", _ISSUES).body
    assert all(address.startswith(f"http://127.0.0.1:{world.port}/") for address in _addresses(here))
    connection = http.client.HTTPConnection("127.0.0.1", world.port, timeout=30)
    connection.request("GET", _ISSUES, headers={"Host": "api.github.com"})
    public = connection.getresponse().read().decode()
    connection.close()
    assert "https://api.github.com/repos/o/r/issues/1" in public
    assert "127.0.0.1" not in public


def test_git_is_refused_as_github_refuses_it(world: World) -> None:
    assert "main" in git("ls-remote", world.clone_url(None))
    clone = world.root.parent / "work"
    git("clone", "--quiet", world.clone_url("token-eve"), str(clone))
    assert "403" in git("push", "origin", "main:new", cwd=clone, check=False)
    wrong = git("push", world.clone_url("wrong"), "main:new", cwd=clone, check=False)
    assert "Authentication failed" in wrong


@pytest.mark.parametrize(
    ("do", "status"), [("500", 500), ("502", 502), ("rate-limit", 403), ("secondary-limit", 403)]
)
def test_a_fault_meets_the_requests_it_names_and_writes_nothing(world: World, do: str, status: int) -> None:
    world.control("POST", "/faults", {"match": {"method": "POST", "path": "issues$"}, "times": 1, "do": do})
    assert world.call("GET", _ISSUES).status == 200
    assert world.call("POST", _ISSUES, {"title": "T"}).status == status
    assert len(world.call("GET", f"{_ISSUES}?state=all").body) == 2
    assert world.call("POST", _ISSUES, {"title": "T"}).status == 201


def test_an_answer_can_be_lost_after_the_write(world: World) -> None:
    world.control("POST", "/faults", {"match": {"method": "POST"}, "do": "drop-after-write"})
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        world.call("POST", _ISSUES, {"title": "Lost"})
    assert world.call("GET", _ISSUES).body[0]["title"] == "Lost"


def test_an_answer_can_be_cut(world: World) -> None:
    world.control("POST", "/faults", {"match": {"path": "issues"}, "do": "truncate"})
    with pytest.raises(http.client.IncompleteRead):
        world.call("GET", _ISSUES)


def test_a_fault_that_makes_no_sense_is_refused(world: World) -> None:
    answer = world.call("POST", "/_standin/faults", {"do": "explode"}, token=CONTROL)
    assert answer.status == 422


def test_the_control_endpoints_need_their_own_token(world: World) -> None:
    answers = [world.call("GET", "/_standin/state", token=token) for token in ("token-ada", None, CONTROL)]
    assert [answer.status for answer in answers] == [401, 401, 200]


def test_every_write_is_told_with_who_and_what_and_every_request_is_counted(world: World) -> None:
    world.call("POST", _ISSUES, {"title": "T"}, token="token-ada")
    world.call("GET", f"{_ISSUES}/1")
    written = [(row["actor"], row["what"], row["subject"]) for row in world.control("GET", "/audit")]
    assert written == [("ada", "issue.create", "o/r#6")]
    assert world.control("GET", "/state")["requests"] == {
        "GET /repos/{owner}/{repo}/issues/{number}": 1,
        "POST /repos/{owner}/{repo}/issues": 1,
    }


@pytest.mark.parametrize(
    ("do", "status", "header"),
    [
        ("status:410:Issues are disabled", 410, {}),
        ("moved:/repos/o/new", 301, {"location": "http://127.0.0.1:{port}/api/v3/repos/o/new"}),
        ("moved:http://elsewhere.invalid/", 301, {"location": "http://elsewhere.invalid/"}),
        ("secondary-limit:90", 403, {"retry-after": "90"}),
    ],
)
def test_faults_say_what_they_were_told_to_say(
    world: World, do: str, status: int, header: dict[str, str]
) -> None:
    world.control("POST", "/faults", {"match": {"path": "/user$"}, "do": do})
    answer = world.call("GET", "/user")
    assert answer.status == status
    wanted = {name: text.format(port=world.port) for name, text in header.items()}
    assert {name: answer.headers[name] for name in wanted} == wanted
    assert world.call("GET", "/user").status == 200
