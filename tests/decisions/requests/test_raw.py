from __future__ import annotations

import gzip

import pytest

from hive.decisions.requests import Caller, Listed, Node, NotUnderstood, Request, classify
from hive.decisions.requests.git import RefUpdate, classify_push, parse_commands
from hive.decisions.requests.raw import parse_request
from tests.decisions.requests.asking import CALLER, FACTS, Told, told

GOOD = b"POST /repos/o/r/issues HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 13\r\n\r\n"
BODY = b'{"title":"t"}'
ZEROS, ONE, TWO = "0" * 40, "1" * 40, "2" * 40


def test_a_request_is_read_with_crlf_or_with_lf_and_an_editors_last_newline() -> None:
    expected = Request(
        "POST", "/repos/o/r/issues", (("Host", "api.github.com"), ("Content-Length", "13")), BODY
    )
    assert parse_request(GOOD + BODY) == expected
    assert parse_request((GOOD + BODY).replace(b"\r\n", b"\n")) == expected
    assert parse_request(GOOD + BODY + b"\n") == expected


def test_chunks_are_put_together() -> None:
    head = b"POST /repos/o/r/issues HTTP/1.1\nHost: api.github.com\nTransfer-Encoding: chunked\n\n"
    assert parse_request(head + b'6\n{"titl\n7\ne":"t"}\n0\n\n').body == BODY


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"GET /\n\n",
        b"GET / HTTP/2\nHost: x\n\n",
        b"GET  / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/1.1\nHost: x\n folded\n\n",
        b"GET / HTTP/1.1\nHost : x\n\n",
        b"GET / HTTP/1.1\nHost: x",
        GOOD + BODY + b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        GOOD + BODY[:-1],
        GOOD.replace(b"13\r\n", b"13\r\nContent-Length: 13\r\n") + BODY,
        GOOD.replace(b"13", b"+13") + BODY,
        GOOD.replace(b"13\r\n", b"13\r\nTransfer-Encoding: chunked\r\n") + BODY,
        GOOD.replace(b"Content-Length: 13", b"Transfer-Encoding: gzip, chunked") + BODY,
        GOOD.replace(b"Content-Length: 13", b"Transfer-Encoding: chunked") + b"5\r\nabc\r\n0\r\n\r\n",
        GOOD.replace(b"Content-Length: 13", b"Transfer-Encoding: chunked")
        + b"0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    ],
)
def test_any_doubt_about_framing_is_not_understood(data: bytes) -> None:
    with pytest.raises(NotUnderstood):
        parse_request(data)


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Host", "api.github.com"), ("host", "api.github.com")],
        [("Host", "api.github.com"), ("X-HTTP-Method-Override", "PUT")],
        [("Host", "api.github.com"), ("x-method-override", "PUT")],
        [("Host", "api.github.com"), ("X_HTTP_Method_Override", "PUT")],
    ],
)
def test_a_missing_or_second_host_and_method_overrides_are_unknown(headers: list[tuple[str, str]]) -> None:
    request = Request("GET", "/repos/o/r", tuple(headers))
    assert told(classify(request, CALLER, FACTS)) == [("!unknown", "o/r")]


def test_the_enterprise_host_has_its_own_paths() -> None:
    from hive.decisions.requests import Hosts

    caller = Caller("quality", ("o/r",), hosts=Hosts(enterprise="git.example"))
    for path, expected in (
        ("/api/v3/repos/o/r", "read"),
        ("/repos/o/r", "unknown"),
        ("/api/v4/user", "unknown"),
    ):
        request = Request("GET", path, (("Host", "git.example"),))
        assert [o.action.value for o in classify(request, caller, FACTS)] == [expected], path


def push_body(*commands: str) -> bytes:
    first, rest = commands[0] + "\0report-status side-band-64k", commands[1:]
    lines = [first, *rest]
    return b"".join(b"%04x%b" % (len(line.encode()) + 4, line.encode()) for line in lines) + b"0000PACK"


def git(method: str, path: str, body: bytes = b"", *more: tuple[str, str]) -> Told:
    request = Request(method, path, (("Host", "github.com"), *more), body)
    return told(classify(request, CALLER, FACTS))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"{ZEROS} {ONE} refs/heads/hive/quality/n", ("push-own-branch", "o/r@refs/heads/hive/quality/n")),
        (f"{TWO} {ONE} refs/heads/hive/quality/x", ("update-own-pr", "o/r@refs/heads/hive/quality/x")),
        (f"{TWO} {ZEROS} refs/heads/hive/quality/n", ("push-own-branch", "o/r@refs/heads/hive/quality/n")),
        (f"{TWO} {ONE} refs/heads/main", ("push-default-branch", "o/r@refs/heads/main")),
        (f"{TWO} {ZEROS} refs/heads/main", ("delete-branch", "o/r@refs/heads/main")),
        (f"{TWO} {ONE} refs/heads/hive/scanner/n", ("push-other-branch", "o/r@refs/heads/hive/scanner/n")),
        (f"{TWO} {ZEROS} refs/heads/dev", ("delete-branch", "o/r@refs/heads/dev")),
        (f"{ZEROS} {ONE} refs/tags/v1", ("push-tag", "o/r@refs/tags/v1")),
        (f"{TWO} {ZEROS} refs/tags/v1", ("push-tag", "o/r@refs/tags/v1")),
        (f"{ZEROS} {ONE} refs/notes/commits", ("push-other-branch", "o/r@refs/notes/commits")),
        (f"{ZEROS} {ONE} refs/pull/7/head", ("push-other-branch", "o/r@refs/pull/7/head")),
    ],
)
def test_each_ref_of_a_push_is_an_operation(command: str, expected: tuple[str, str]) -> None:
    assert git("POST", "/o/r.git/git-receive-pack", push_body(command)) == [expected]
    zipped = gzip.compress(push_body(command))
    assert git("POST", "/o/r/git-receive-pack", zipped, ("Content-Encoding", "gzip")) == [expected]


def test_a_push_of_several_refs_is_several_operations() -> None:
    body = push_body(f"{ZEROS} {ONE} refs/heads/hive/quality/n", f"{TWO} {ONE} refs/heads/main")
    assert git("POST", "/o/r/git-receive-pack", body) == [
        ("push-own-branch", "o/r@refs/heads/hive/quality/n"),
        ("push-default-branch", "o/r@refs/heads/main"),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/o/r.git/info/refs?service=git-upload-pack",
        "/o/r/info/refs?service=git-receive-pack",
    ],
)
def test_asking_what_there_is_is_a_read(path: str) -> None:
    assert git("GET", path) == [("read", "o/r")]
    assert git("POST", "/o/r.git/git-upload-pack", b"0000") == [("read", "o/r")]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/o/r.git/info/refs"),
        ("GET", "/o/r.git/HEAD"),
        ("GET", "/o/r.git/objects/info/packs"),
        ("POST", "/o/r.git/info/lfs/objects/batch"),
        ("GET", "/other/place/info/refs?service=git-upload-pack"),
        ("GET", "/o/r/settings"),
        ("POST", "/o/r/git-receive-pack?x=1"),
        ("GET", "/o%2Fr/info/refs?service=git-upload-pack"),
    ],
)
def test_what_is_not_gits_smart_http_is_unknown(method: str, path: str) -> None:
    assert git(method, path) == [("!unknown", "o/r")]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"zzzz",
        b"0004",
        b"0008shal",
        b"00ff too short",
        push_body(f"{ZEROS} {ONE} main"),
        push_body(f"{ZEROS} {ONE} refs/heads/a..b"),
        push_body(f"{ZEROS} {ONE} refs/heads/a b"),
        push_body(f"{ZEROS} {ONE} refs/heads/x", f"{ZEROS} {TWO} refs/heads/x"),
        push_body(f"{ZEROS} {ONE} refs/heads/x", f"shallow {ONE}"),
        push_body("push-cert"),
    ],
)
def test_a_push_that_git_does_not_send_is_unknown(body: bytes) -> None:
    assert git("POST", "/o/r/git-receive-pack", body) == [("!unknown", "o/r")]


def test_a_probe_before_a_large_push_changes_nothing() -> None:
    assert parse_commands(b"0000") == ((), frozenset())
    assert git("POST", "/o/r/git-receive-pack", b"0000") == [("read", "o/r")]


def test_a_push_from_a_shallow_clone_names_its_boundary_first() -> None:
    shallow = b"%04x%b" % (4 + 49, f"shallow {TWO}\n".encode())
    body = shallow + push_body(f"{ZEROS} {ONE} refs/heads/hive/quality/n")
    expected = [("push-own-branch", "o/r@refs/heads/hive/quality/n")]
    assert git("POST", "/o/r/git-receive-pack", body) == expected


@pytest.mark.parametrize(
    ("fast_forward", "action"), [(True, "push-default-branch"), (False, "force-push-default")]
)
def test_a_push_is_forced_when_the_objects_say_so(fast_forward: bool, action: str) -> None:
    update = RefUpdate("refs/heads/main", ONE, TWO, fast_forward=fast_forward)
    assert told(classify_push("o/r", (update,), CALLER, FACTS)) == [(action, "o/r@refs/heads/main")]


def test_a_push_that_touches_a_workflow_says_so_by_path() -> None:
    update = RefUpdate("refs/heads/hive/quality/n", ZEROS, ONE, paths=("a.py", ".GitHub/Workflows/ci.yml"))
    assert told(classify_push("o/r", (update,), CALLER, FACTS)) == [
        ("push-own-branch", "o/r@refs/heads/hive/quality/n"),
        ("change-workflow", "o/r:.GitHub/Workflows/ci.yml"),
    ]


def test_a_number_is_known_by_its_id_too() -> None:
    assert Listed({"PR_7": Node("pull-request", "o/r", 7)}).node("O/R#7") == Node("pull-request", "o/r", 7)
