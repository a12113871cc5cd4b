"""What GitHub delivers wakes a look, if it is signed and new; nothing else does."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
from collections.abc import Iterator

import pytest

from hive.errors import Unreachable
from hive.shells.webhooks import Deliveries, WebhookListener

SECRET = "s3cret"
BODY = json.dumps({"action": "opened", "repository": {"full_name": "acme/widgets"}}).encode()


def signed(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Heard:
    def __init__(self) -> None:
        self.repos: list[str] = []
        self.listener = WebhookListener("127.0.0.1", 0, Deliveries(lambda: SECRET, self.repos.append))

    def deliver(self, body: bytes = BODY, delivery: str = "1", event: str = "issues", **more: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.listener.port, timeout=60)
        headers = {
            "X-Hub-Signature-256": signed(body),
            "X-GitHub-Delivery": delivery,
            "X-GitHub-Event": event,
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
        try:
            connection.request("POST", "/", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard()
    yield made
    made.listener.close()


def test_a_signed_delivery_wakes_its_repository(heard: Heard) -> None:
    assert (heard.deliver(), heard.repos) == (202, ["acme/widgets"])


@pytest.mark.parametrize("signature", ["", "sha256=", signed(BODY, "another"), signed(b"x"), "sha256=\u00e9"])
def test_what_is_not_signed_with_the_secret_wakes_nothing(heard: Heard, signature: str) -> None:
    assert (heard.deliver(X_Hub_Signature_256=signature), heard.repos) == (401, [])


def test_a_delivery_counts_once_whatever_number_it_bears(heard: Heard) -> None:
    other = BODY.replace(b"opened", b"closed")
    answers = [
        heard.deliver(delivery="1"),
        heard.deliver(delivery="1"),
        heard.deliver(delivery="2"),
        heard.deliver(other, delivery="1"),
        heard.deliver(other.replace(b"closed", b"edited"), delivery="3"),
    ]
    assert answers == [202, 409, 409, 409, 202]
    assert heard.repos == ["acme/widgets", "acme/widgets"]


def test_what_was_heard_and_what_was_refused_is_counted(heard: Heard) -> None:
    answers = [heard.deliver(), heard.deliver(), heard.deliver(X_Hub_Signature_256="sha256=00")]
    assert answers == [202, 409, 401]
    at = f"127.0.0.1:{heard.listener.port}"
    assert heard.listener.report() == {"at": at, "heard": 1, "unsigned": 1, "repeated": 1}


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"repository": {}}', b"[" * 100_000])
def test_a_body_without_a_repository_is_heard_and_wakes_nothing(heard: Heard, body: bytes) -> None:
    assert (heard.deliver(body), heard.repos) == (202, [])


def test_a_ping_wakes_nothing(heard: Heard) -> None:
    assert (heard.deliver(event="ping"), heard.repos) == (202, [])


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b"411"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 30000000\r\n\r\n", b"413"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"411"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"501"),
    ],
)
def test_what_is_no_delivery_is_refused_without_being_read(heard: Heard, head: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", heard.listener.port), timeout=60) as peer:
        peer.sendall(head)
        assert peer.recv(4096).split()[1] == status
    assert heard.repos == []


def test_an_address_that_is_taken_is_told_in_one_line(heard: Heard) -> None:
    with pytest.raises(Unreachable, match=f"127.0.0.1:{heard.listener.port} cannot be listened at"):
        WebhookListener("127.0.0.1", heard.listener.port, Deliveries(lambda: SECRET, heard.repos.append))
