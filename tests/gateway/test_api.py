"""What reaches the gateway by HTTP, from tools and from bare sockets."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import github
import pytest

from hive.decisions.recall import recall
from hive.facts.autonomy import AcmmLevel
from hive.facts.events import FindingRecorded, PullRequestOpened, Record, RequestRuled, TokenRefused
from hive.facts.memory import Memory
from hive.gateway import Gateway
from hive.gateway.settings import Limits
from hive.ports.authority import Identity
from hive.shells.system.clock import SystemClock
from tests.gateway.place import REPO, TOKEN, Place, identity

ISSUE = json.dumps({"title": "Found"})


def unix(place: Place) -> socket.socket:
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    found.settimeout(20)
    found.connect(str(place.settings.socket_path))
    return found


def raw(place: Place, data: bytes) -> bytes:
    """Everything that is answered to `data` until the connection is closed."""
    with unix(place) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    return answer


def tunnel(place: Place, to: str) -> tuple[socket.socket, bytes]:
    connection = socket.create_connection(("127.0.0.1", place.gateway.port), timeout=20)
    connection.sendall(f"CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n".encode())
    return connection, connection.recv(65_536)


@pytest.mark.parametrize(
    "authorization", ["", "token", "token wrong", "Bearer wrong", "Basic !!", "Basic d3Jvbmc="]
)
def test_nobodys_token_is_answered_401_and_reaches_nothing(place: Place, authorization: str) -> None:
    status, value = place.api("GET", f"/repos/{REPO}", Authorization=authorization)
    assert status == 401
    assert value["message"] == "hive: Bad credentials: this is no token of an agent that hive runs"
    assert place.forge.state()["requests"] == {}
    shown = authorization.endswith(" wrong")
    assert place.authority.events == ([TokenRefused(address="", count=1)] if shown else [])


@pytest.mark.parametrize("scheme", ["token", "Token", "Bearer", "bearer"])
def test_a_token_is_taken_in_every_way_that_tools_send_it(place: Place, scheme: str) -> None:
    status, _ = place.api("GET", f"/repos/{REPO}", Authorization=f"{scheme} {TOKEN}")
    assert status == 200


def test_addresses_of_the_forge_are_the_ones_that_tools_know(place: Place) -> None:
    status, value = place.api("GET", f"/repos/{REPO}/issues?per_page=1")
    assert status == 200
    assert place.forge.url not in json.dumps(value)
    repo = place.good_api("GET", f"/repos/{REPO}")
    assert repo["url"] == f"https://api.github.com/repos/{REPO}"
    assert repo["clone_url"] == f"https://github.com/{REPO}.git"


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: api.github.com\r\n folded: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_malformed_http_is_answered_400_and_closed(place: Place, data: bytes) -> None:
    authorized = data.replace(b"\r\nHost", f"\r\nAuthorization: token {TOKEN}\r\nHost".encode())
    assert raw(place, authorized).startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert place.api("GET", f"/repos/{REPO}")[0] == 200


def test_what_is_too_large_is_refused(place: Place) -> None:
    head = f"POST /repos/{REPO}/issues HTTP/1.1\r\nHost: api.github.com\r\nAuthorization: token {TOKEN}\r\n"
    huge = raw(place, f"{head}Content-Length: 99999999999\r\n\r\n".encode())
    assert huge.startswith(b"HTTP/1.1 413 ")
    assert raw(place, b"GET / HTTP/1.1\r\nX: " + b"x" * 80_000).startswith(b"HTTP/1.1 431 ")
    assert place.forge.audit() == place.forge.audit()


def test_several_requests_share_a_connection(place: Place) -> None:
    one = f"GET /repos/{REPO} HTTP/1.1\r\nHost: api.github.com\r\nAuthorization: token {TOKEN}\r\n\r\n"
    assert raw(place, one.encode() * 3).count(b"HTTP/1.1 200 OK\r\n") == 3


def test_a_request_that_is_not_understood_is_refused_and_recorded(place: Place) -> None:
    status, value = place.api("PUT", f"/repos/{REPO}/pulls/../pulls/3/merge")
    assert status == 403
    assert value["message"].startswith("hive: its path has empty or relative segments")
    assert place.authority.ruled() == [("unknown", REPO, "deny")]


@pytest.mark.parametrize(
    "to", ["evil.example:443", "api.github.com:80", "api.github.com", "127.0.0.1:443", "github.com.evil:443"]
)
def test_the_proxy_leads_nowhere_but_to_the_forge(place: Place, to: str) -> None:
    connection, answer = tunnel(place, to)
    connection.close()
    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert b"only the forge is reached through hive" in answer


def test_the_proxy_takes_no_plain_requests(place: Place) -> None:
    with socket.create_connection(("127.0.0.1", place.gateway.port), timeout=20) as connection:
        connection.sendall(b"GET http://api.github.com/user HTTP/1.1\r\nHost: api.github.com\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 403 Forbidden\r\n")


def test_a_tunnel_speaks_for_the_host_that_it_leads_to_and_no_other(place: Place) -> None:
    connection, answer = tunnel(place, "API.github.com.:443")
    assert answer.startswith(b"HTTP/1.1 200 ")
    context = ssl.create_default_context(cafile=str(place.gateway.ca_file))
    with context.wrap_socket(connection, server_hostname="api.github.com") as secure:
        told = f"GET /{REPO}/info/refs?service=git-upload-pack HTTP/1.1\r\nHost: github.com\r\n"
        secure.sendall(f"{told}Authorization: Bearer {TOKEN}\r\n\r\n".encode())
        assert b"ERR hive: the host 'github.com' is not api.github.com" in secure.recv(65_536)


def test_pygithub_works_through_the_proxy_unchanged(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", place.gateway.proxy_url)
    auth = github.Auth.Token(TOKEN)
    with github.Github(auth=auth, verify=str(place.gateway.ca_file), retry=None) as client:
        repo = client.get_repo(REPO)
        assert [issue.title for issue in repo.get_issues()] == ["no tests", "area adds"]
        assert repo.create_issue("Found", "Something").number == 3
        with pytest.raises(github.GithubException) as refusal:
            repo.edit(description="mine")
    assert refusal.value.status == 403
    assert "change-settings is never allowed" in refusal.value.data["message"]


def test_nothing_is_done_that_cannot_be_recorded(place: Place) -> None:
    place.authority.full_disk = True
    status, value = place.api("POST", f"/repos/{REPO}/issues", ISSUE)
    assert (status, value["message"]) == (
        503,
        "hive: nothing was done: hive cannot write its journal; try again later",
    )
    assert len(place.forge.state()["repositories"][REPO]["issues"]) == 2
    assert place.api("GET", f"/repos/{REPO}/issues")[0] == 200


def test_an_agents_words_carry_its_name_and_nobody_elses(place: Place) -> None:
    body = json.dumps({"title": "t", "body": "I am <!-- hive:agent=scanner --> you know"})
    number = place.good_api("POST", f"/repos/{REPO}/issues", body)["number"]
    issues = place.forge.state()["repositories"][REPO]["issues"]
    assert issues[-1]["body"] == "I am  you know\n\n<!-- hive:agent=quality -->"
    assert place.api("PATCH", f"/repos/{REPO}/issues/{number}", '{"state": "closed"}')[0] == 200
    place.authority.identities["of-scanner"] = identity("scanner", "quality")
    place.token = "of-scanner"
    status, value = place.api("PATCH", f"/repos/{REPO}/issues/{number}", '{"state": "open"}')
    assert status == 403
    assert "edit-others-text" in value["message"]


GIVEN = '{"title": "t"}', '{"title": "t", "body": ""}', '{"title": "t", "body": null}'
CREATED = 'mutation { createIssue(input: {repositoryId: "%s", title: "t"}) { issue { number } } }'


@pytest.mark.parametrize("body", GIVEN)
def test_an_issue_without_words_carries_its_agents_name_too(place: Place, body: str) -> None:
    number = place.good_api("POST", f"/repos/{REPO}/issues", body)["number"]
    assert place.forge.state()["repositories"][REPO]["issues"][-1]["body"] == "<!-- hive:agent=quality -->"
    assert place.api("PATCH", f"/repos/{REPO}/issues/{number}", '{"state": "closed"}')[0] == 200
    assert place.api("PATCH", f"/repos/{REPO}/issues/{number}", '{"title": "u"}')[0] == 200
    assert place.forge.state()["repositories"][REPO]["issues"][-1]["body"] == "<!-- hive:agent=quality -->"


def test_an_issue_without_words_carries_its_agents_name_by_graphql_too(place: Place) -> None:
    node = place.good_api("GET", f"/repos/{REPO}")["node_id"]
    place.good_api("POST", "/graphql", json.dumps({"query": CREATED % node}))
    assert place.forge.state()["repositories"][REPO]["issues"][-1]["body"] == "<!-- hive:agent=quality -->"


def test_a_persons_forged_marker_proves_nothing(place: Place, forged: int) -> None:
    status, value = place.api("PATCH", f"/repos/{REPO}/issues/{forged}", '{"state": "closed"}')
    assert status == 403
    assert "edit-others-text" in value["message"]


@pytest.fixture
def forged(place: Place) -> int:
    """An issue of a person's whose text claims to be an agent's."""
    auth = github.Auth.Token("ada-token")
    with github.Github(base_url=place.forge.api_url, auth=auth, retry=None) as client:
        return client.get_repo(REPO).create_issue("x", "<!-- hive:agent=quality -->").number


def finding(place: Place, **changes: object) -> tuple[int, dict[str, object]]:
    body = json.dumps({"repo": REPO, "issue": 1, "title": "It adds", "body": "See widgets.py", **changes})
    return place.api("POST", "/v1/findings", body, Host="hive")


def test_findings_go_on_record_once(place: Place) -> None:
    place.authority.level = AcmmLevel.L2
    assert finding(place) == (201, {"id": "F1"})
    assert finding(place) == (201, {"id": "F1"})
    assert finding(place, title="Another") == (201, {"id": "F2"})
    assert finding(place, repo="other/place")[0] == 422
    assert finding(place, title=" ")[0] == 422
    assert finding(place, issue="one")[0] == 422
    found = place.authority.events_of(FindingRecorded)
    assert [(e.finding_id, e.agent, e.repo, e.issue, e.title) for e in found] == [
        ("F1", "quality", REPO, 1, "It adds"),
        ("F2", "quality", REPO, 1, "Another"),
    ]
    assert place.forge.audit() == []


def test_a_finding_about_a_file_knows_its_content_and_a_path_beyond_the_repository_is_refused(
    place: Place,
) -> None:
    assert finding(place, path="./widgets.py", rule="size", title="Too long") == (201, {"id": "F1"})
    assert finding(place, path="widgets.py", rule="size", title="Split it") == (201, {"id": "F1"})
    assert finding(place, path="gone.py") == (201, {"id": "F2"})
    assert finding(place, path="../etc")[0] == 422
    first, second = place.authority.events_of(FindingRecorded)
    status, told = place.api("GET", f"/repos/{REPO}/contents/widgets.py")
    assert (status, first.path, first.blob) == (200, "widgets.py", told["sha"])
    assert (second.path, second.blob) == ("gone.py", "")


def test_a_finding_repeated_after_a_restart_gets_its_first_id_and_no_second_record(place: Place) -> None:
    assert finding(place) == (201, {"id": "F1"})
    place.restart()
    assert finding(place) == (201, {"id": "F1"})
    assert finding(place, issue=2) == (201, {"id": "F2"})
    assert [e.finding_id for e in place.authority.events_of(FindingRecorded)] == ["F1", "F2"]


def test_a_role_that_is_not_started_reads_nothing(place: Place) -> None:
    place.authority.level = AcmmLevel.L1
    status, value = place.api("GET", f"/repos/{REPO}")
    assert status == 403
    assert "role quality is not started at L1" in value["message"]
    assert [e.ruling for e in place.authority.events_of(RequestRuled)] == ["deny"]


def opened(place: Place) -> tuple[int, dict[str, object]]:
    body = json.dumps({"title": "t", "head": "hive/quality/1", "base": "main", "body": "Fixes #1"})
    return place.api("POST", f"/repos/{REPO}/pulls", body)


@pytest.fixture
def branch(place: Place) -> Place:
    place.check_out()
    place.commit("hive/quality/1", {"widgets.py": "changed\n"})
    assert place.push("HEAD").returncode == 0
    return place


@pytest.mark.parametrize(
    ("path", "method"),
    [("/issues/[0-9]+/labels", "POST"), ("/api/graphql", "POST"), ("/pulls$", "POST")],
)
def test_a_creation_that_broke_off_is_gone_on_with_and_never_doubled(
    branch: Place, path: str, method: str
) -> None:
    branch.forge.fault("500", method=method, path=path, times=1)
    assert opened(branch)[0] >= 500
    assert all(pull["draft"] for pull in branch.pulls()), "what is not held stays a draft"
    branch.restart()
    status, value = opened(branch)
    assert status == 201, value
    [pull] = branch.pulls()
    assert (pull["draft"], pull["labels"]) == (False, ["hold"])
    assert [e.number for e in branch.authority.events_of(PullRequestOpened)] == [3]


def test_a_creation_whose_answer_was_lost_is_looked_for_before_anything_else(branch: Place) -> None:
    branch.forge.fault("drop-after-write", method="POST", path="/pulls$", times=1)
    status, value = opened(branch)
    assert (status, value["number"]) == (201, 3)
    assert len(branch.pulls()) == 1
    assert branch.pulls()[0]["labels"] == ["hold"]


def test_a_write_whose_answer_was_lost_is_said_to_be_in_doubt(place: Place) -> None:
    number = place.good_api("POST", f"/repos/{REPO}/issues", ISSUE)["number"]
    place.forge.fault("drop-after-write", method="PATCH", path=f"/issues/{number}$", times=1)
    status, value = place.api("PATCH", f"/repos/{REPO}/issues/{number}", '{"state": "closed"}')
    assert status == 502
    assert value["message"].startswith("hive: it is not known whether that was done")
    assert place.forge.state()["repositories"][REPO]["issues"][-1]["state"] == "closed"


def test_a_persons_pull_request_from_the_branch_is_not_taken_for_the_agents(branch: Place) -> None:
    auth = github.Auth.Token("ada-token")
    with github.Github(base_url=branch.forge.api_url, auth=auth, retry=None) as client:
        body = "<!-- hive:agent=quality -->"
        client.get_repo(REPO).create_pull("main", "hive/quality/1", title="t", body=body)
    status, value = opened(branch)
    assert status == 422
    assert "already exists" in json.dumps(value)
    assert branch.authority.events_of(PullRequestOpened) == []


def test_a_pull_request_that_the_journal_missed_is_recorded_when_asked_for_again(branch: Place) -> None:
    assert opened(branch)[0] == 201
    branch.authority.events.clear()
    assert opened(branch)[0] == 201
    assert len(branch.pulls()) == 1
    head = branch.branches()["refs/heads/hive/quality/1"]
    [event] = branch.authority.events_of(PullRequestOpened)
    assert (event.number, event.head) == (3, head)
    # By this the plan knows that the head has its hold, and puts on no second one over a release.
    at = datetime(2026, 11, 30, 9, tzinfo=UTC)
    remembered = recall(Memory(), [Record(seq=1, at=at, tick=0, event=event)])
    assert remembered.pulls[f"{REPO}#3"].held_head == head


def test_a_released_hold_is_not_put_on_again_by_a_repeated_create(branch: Place) -> None:
    assert opened(branch)[0] == 201
    auth = github.Auth.Token("ada-token")
    with github.Github(base_url=branch.forge.api_url, auth=auth, retry=None) as client:
        client.get_repo(REPO).get_issue(3).remove_from_labels("hold")
    assert opened(branch)[0] == 201
    assert branch.pulls()[0]["labels"] == []


def test_the_operator_may_keep_held_pull_requests_drafts(branch: Place) -> None:
    branch.authority.drafts = True
    assert opened(branch)[0] == 201
    [pull] = branch.pulls()
    assert (pull["draft"], pull["labels"]) == (True, ["hold"])


def test_upstream_trouble_is_passed_on_and_writes_are_not_repeated(place: Place) -> None:
    place.forge.fault("500", method="POST", path="/issues$", times=1)
    assert place.api("POST", f"/repos/{REPO}/issues", ISSUE)[0] == 500
    assert len(place.forge.state()["repositories"][REPO]["issues"]) == 2
    place.forge.stop()
    status, value = place.api("GET", f"/repos/{REPO}/issues")
    assert status == 502
    assert "did not answer" in value["message"]


def test_connections_beyond_the_bound_are_turned_away_in_good_order(place: Place) -> None:
    limits = Limits(connections=4, idle_s=0.5)
    place.gateway.close()
    place.settings = replace(place.settings, limits=limits)
    place.gateway = Gateway(place.settings, place.authority, SystemClock())
    place.gateway.start()
    waiting = [unix(place) for _ in range(4)]
    deadline = time.monotonic() + 10
    answer = b"x"
    while answer and not answer.startswith(b"HTTP/1.1 503 ") and time.monotonic() < deadline:
        with unix(place) as connection:
            answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 503 ")
    # The silent ones are let go after a while, and then there is room again.
    status = 0
    while status != 200 and time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, _ = place.api("GET", f"/repos/{REPO}")
    assert status == 200
    for each in waiting:
        each.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        b"POST /user/repos HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 9\r\n\r\n",
    ],
    ids=["silent", "half a head", "a stranger's body that does not come"],
)
def test_silent_and_slow_connections_keep_nobody_out(place: Place, sent: bytes) -> None:
    place.gateway.close()
    place.settings = replace(place.settings, limits=Limits(connections=4))
    place.gateway = Gateway(place.settings, place.authority, SystemClock())
    place.gateway.start()
    waiting = [unix(place) for _ in range(4)]
    for each in waiting:
        each.sendall(sent)
    status, deadline = 0, time.monotonic() + 20
    while status != 200 and time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, _ = place.api("GET", f"/repos/{REPO}")
    for each in waiting:
        each.close()
    assert status == 200, "a connection is let go for its silence alone after a minute"


def test_the_socket_is_for_its_owner_alone(place: Place) -> None:
    path: Path = place.settings.socket_path
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    key = place.settings.state / "ca" / "ca.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert place.gateway.ca_file.stat().st_mode & 0o777 == 0o644


def test_an_agent_sees_only_its_own_repositories(place: Place) -> None:
    place.authority.identities[TOKEN] = Identity("quality", "quality", ("acme/other",), None)
    place.settings = replace(place.settings, default_branches={"acme/other": "main"})
    place.restart()
    status, value = place.api("GET", f"/repos/{REPO}")
    assert status == 403
    assert "is not a repository of agent quality" in value["message"]
