"""Hive's Unix socket, as far as hooks go: the gateway's own answers at level 5, without a gateway."""

from __future__ import annotations

import socketserver
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread

from hive.decisions.requests import Caller, Request
from hive.facts.autonomy import AcmmLevel
from hive.gateway.own_interface import OwnInterface
from hive.ports.authority import Identity
from tests.fakes.authority import FakeAuthority


class AskSocket:
    """Attributes:
    bodies: Of the events, in the order in which they came.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bodies: list[bytes] = []
        self.authority = FakeAuthority(level=AcmmLevel.L5)
        own = OwnInterface(self.authority)
        identity, caller = Identity("a", "quality", ("o/r",), None), Caller(agent="a", repos=("o/r",))
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                bodies.append(body)
                answer = own.answer(identity, caller, Request("POST", self.path, (), body), "r1")
                assert isinstance(answer.body, bytes)
                content = answer.body
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def address_string(self) -> str:
                return "agent"

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True

        self._server = Server(str(path), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
