"""Real Apprise against receivers on loopback: JSON, a chat's webhook, and mail."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from hive.errors import Missing, Refused
from hive.shells.apprise import AppriseNotices, url_fault

TITLE, BODY = "hive: quality is asking", "quality is asking: 1 < 2 \\n ‹x›\n  hive send quality ..."


@dataclass
class Receiver:
    """An HTTP service that keeps what it is sent and answers with `status`."""

    port: int
    status: int = 200
    got: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@contextmanager
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        kept: ClassVar[Receiver]

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.kept.got.append((self.path, json.loads(body)))
            self.send_response(self.kept.status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test's output is not its log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Handler.kept = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Handler.kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def notices(url: str) -> AppriseNotices:
    return AppriseNotices(lambda: {"ops": lambda: url})


def test_a_message_arrives_as_it_was_written() -> None:
    with receiver() as service:
        notices(f"json://127.0.0.1:{service.port}/hook").send("ops", TITLE, BODY)
    (path, sent), *others = service.got
    assert others == []
    assert path == "/hook"
    assert (sent["title"], sent["message"]) == (TITLE, BODY)


def test_a_service_that_says_no_is_a_refusal_without_its_address() -> None:
    with receiver() as service:
        service.status = 403
        with pytest.raises(Refused) as caught:
            notices(f"json://user:hunter2secret@127.0.0.1:{service.port}/secret-path").send(
                "ops", TITLE, BODY
            )
    said = str(caught.value)
    assert "channel ops did not take it" in said
    assert "secret-path" not in said
    assert "hunter2secret" not in said


def test_a_service_that_is_not_there_is_a_refusal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Refused, match="did not take it"):
        notices(f"json://127.0.0.1:{port}/").send("ops", TITLE, BODY)


def test_an_address_of_no_known_service_is_a_refusal() -> None:
    with pytest.raises(Refused, match="of no service that Apprise knows"):
        notices("nosuch://127.0.0.1/").send("ops", TITLE, BODY)
    assert url_fault("nosuch://127.0.0.1/") == "it is of no service that Apprise knows"
    assert url_fault("json://127.0.0.1/") == ""


def test_a_channel_that_is_no_longer_configured_is_missing() -> None:
    with pytest.raises(Missing, match="channel other is not configured"):
        notices("json://127.0.0.1/").send("other", TITLE, BODY)


def test_mail_is_sent_by_smtp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        mails: list[str] = []
        thread = threading.Thread(target=lambda: mails.append(_take_mail(server)))
        thread.start()
        url = f"mailto://127.0.0.1:{port}?from=hive@example.org&to=ada@example.org&mode=insecure"
        notices(url).send("ops", TITLE, "quality is asking")
        thread.join(20)
    assert "quality is asking" in mails[0]
    assert TITLE in mails[0]


def _take_mail(server: socket.socket) -> str:
    """As much of SMTP (RFC 5321) as one message takes; returns what followed DATA."""
    connection, _ = server.accept()
    with connection, connection.makefile("rb") as lines:
        connection.sendall(b"220 ready\r\n")
        while line := lines.readline():
            if line.upper().startswith(b"DATA"):
                connection.sendall(b"354 go on\r\n")
                mail = b"".join(iter(lines.readline, b".\r\n"))
                connection.sendall(b"250 taken\r\n")
                lines.readline()
                connection.sendall(b"221 bye\r\n")
                return mail.decode()
            connection.sendall(b"250 ok\r\n")
    return ""
