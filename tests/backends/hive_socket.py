"""Hive's Unix socket, as far as findings go: notes requests and answers with the status it is told."""

from __future__ import annotations

import socketserver
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread


@dataclass(frozen=True, slots=True)
class Request:
    line: str
    authorization: str
    body: bytes


class HiveSocket:
    """Answers `answers` in turn, then 201."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.requests: list[Request] = []
        self.answers: list[int] = []
        noted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                line, authorization = f"{self.command} {self.path}", self.headers["Authorization"]
                noted.requests.append(Request(line, authorization, body))
                self.send_response(noted.answers.pop(0) if noted.answers else 201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def address_string(self) -> str:
                return "agent"

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = socketserver.UnixStreamServer(str(path), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
