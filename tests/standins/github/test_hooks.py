"""Webhooks: signed deliveries of what was written, and the same once more."""

import hashlib
import hmac
import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.standins.github.harness import World
from tests.standins.github.openapi import problems

_SECRET = "shared"
_HOOKS = "/repos/o/r/hooks"
Got = tuple[dict[str, str], bytes]


@pytest.fixture
def received() -> Iterator[tuple[str, "queue.Queue[Got]"]]:
    """A receiver's address, and what it gets."""
    got: queue.Queue[Got] = queue.Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.put(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _next(got: "queue.Queue[Got]") -> tuple[str, Any]:
    headers, body = got.get(timeout=20)
    digest = hmac.new(_SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={digest}"
    decoded = json.loads(body)
    return f"{headers['x-github-event']} {decoded.get('action', '')}".strip(), decoded


def test_every_change_is_told_signed_and_told_again_on_request(
    world: World, received: tuple[str, "queue.Queue[Got]"]
) -> None:
    url, got = received
    asked = {"config": {"url": url, "secret": _SECRET, "content_type": "json"}, "events": ["*"]}
    made = world.call("POST", _HOOKS, asked, token="token-ada")
    assert (made.status, problems("POST", _HOOKS, 201, made.body)) == (201, [])
    assert _SECRET not in json.dumps(made.body)
    assert _next(got)[0] == "ping"
    world.call("POST", "/repos/o/r/issues", {"title": "T", "labels": ["bug"]})
    told = [_next(got)[0] for _ in range(2)]
    assert sorted(told) == ["issues labeled", "issues opened"]
    pull = world.open_pull("topic")
    assert [_next(got)[0] for _ in range(2)] == ["push", "pull_request opened"]
    path = f"/repos/o/r/pulls/{pull['number']}/reviews"
    world.call("POST", path, {"event": "APPROVE"}, token="token-ada")
    event, payload = _next(got)
    assert (event, payload["review"]["state"], payload["sender"]["login"]) == (
        "pull_request_review submitted",
        "approved",
        "ada",
    )
    run = {"name": "t", "head_sha": pull["head"]["sha"], "conclusion": "success"}
    world.call("POST", "/repos/o/r/check-runs", run)
    assert _next(got)[0] == "check_run completed"
    listed = f"{_HOOKS}/{made.body['id']}/deliveries"
    shown = world.call("GET", listed, token="token-ada").body
    assert problems("GET", listed, 200, shown) == []
    first = shown[0]
    again = world.call("POST", f"{listed}/{first['id']}/attempts", token="token-ada")
    assert again.status == 202
    assert _next(got)[0] == "check_run completed"
    assert world.call("GET", listed, token="token-ada").body[0]["guid"] == first["guid"]


def test_a_hook_to_another_machine_is_refused(world: World) -> None:
    asked = {"config": {"url": "http://192.0.2.1/hook"}, "events": ["push"]}
    answer = world.call("POST", _HOOKS, asked, token="token-ada")
    assert (answer.status, "loopback" in answer.body["errors"][0]["message"]) == (422, True)
