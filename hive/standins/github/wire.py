"""HTTP as the stand-in needs it: whole requests in, whole responses out, each answer one write."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

# The largest body taken: a push of a big repository (chosen).
_LARGEST_BODY = 1 << 30


@dataclass(frozen=True, slots=True)
class Request:
    """One request, its body read to the end; `path` is percent-decoded, `raw_path` is not."""

    method: str
    raw_path: str
    path: str
    query_string: str
    query: dict[str, str]
    headers: Message
    body: bytes

    def header(self, name: str) -> str | None:
        """A header's value; None where it was not sent."""
        value = self.headers.get(name)
        return None if value is None else str(value)


@dataclass(slots=True)
class Response:
    """One answer; `cut` sends no more than that many bytes of it and hangs up."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    reset: bool = False
    """Whether the connection is torn down instead of closed."""


def json_of(data: bytes) -> Any:
    """Decoded JSON; half of a surrogate pair, which no UTF-8 can carry on, becomes a question mark.

    Raises ValueError or RecursionError for what is none.
    """
    decoded = json.loads(data)
    text = json.dumps(decoded, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return decoded


class BadRequest(Exception):
    """The request cannot be read."""


class Handler(BaseHTTPRequestHandler):
    """Reads a request, has the server's `answer` make the response, sends it."""

    protocol_version = "HTTP/1.1"
    server_version = "GitHub.com"
    sys_version = ""
    wbufsize = 65536
    disable_nagle_algorithm = True
    timeout = 120

    def _serve(self) -> None:
        try:
            request = self._read()
        except BadRequest as problem:
            self.close_connection = True
            self._send(Response(400, str(problem).encode(), {"Content-Type": "text/plain"}))
            return
        self._send(cast(Server, self.server).answer(request))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - names that http.server looks for

    def handle_expect_100(self) -> bool:
        """Say so at once: what is buffered does not reach a client that waits to send its body."""
        done = super().handle_expect_100()
        self.wfile.flush()
        return done

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: requests are counted in the state, and the console is the operator's."""

    def _read(self) -> Request:
        split = urlsplit(self.path)
        return Request(
            method=self.command,
            raw_path=split.path,
            path=unquote(split.path),
            query_string=split.query,
            query=dict(parse_qsl(split.query, keep_blank_values=True)),
            headers=self.headers,
            body=self._body(),
        )

    def _body(self) -> bytes:
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            return self._chunks()
        length = self.headers.get("Content-Length") or "0"
        if not length.isdigit() or int(length) > _LARGEST_BODY:
            raise BadRequest("a Content-Length that cannot be served")
        return self.rfile.read(int(length))

    def _chunks(self) -> bytes:
        parts, total = [], 0
        while True:
            size_line = self.rfile.readline(1024).split(b";")[0].strip()
            try:
                size = int(size_line, 16)
            except ValueError as error:
                raise BadRequest("a chunk without a size") from error
            total += size
            if total > _LARGEST_BODY:
                raise BadRequest("a body that is too large")
            parts.append(self.rfile.read(size))
            self.rfile.readline(1024)
            if size == 0:
                return b"".join(parts)

    def _send(self, response: Response) -> None:
        reason = HTTPStatus(response.status).phrase
        lines = [
            f"HTTP/1.1 {response.status} {reason}",
            "Server: GitHub.com",
        ]
        dated = response.headers if "Date" in response.headers else {"Date": self.date_time_string()}
        lines += [f"{name}: {value}" for name, value in {**dated, **response.headers}.items()]
        if response.status not in (204, 304):
            lines.append(f"Content-Length: {len(response.body)}")
        bodiless = self.command == "HEAD" or response.status in (204, 304)
        message = "\r\n".join([*lines, "\r\n"]).encode("latin-1", "replace") + (
            b"" if bodiless else response.body
        )
        if response.cut is not None:
            self.close_connection = True
            # The answer is never whole, however short it is.
            message = message[: min(response.cut, len(message) - 1)]
        try:
            self.connection.sendall(message)
            if response.reset:
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.connection.close()
            elif response.cut is not None:
                self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            # The client went away; what it asked for was done all the same.
            self.close_connection = True


class Server(ThreadingHTTPServer):
    """Listens, and answers each request on a thread of its connection."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], answer: Callable[[Request], Response]) -> None:
        super().__init__(address, Handler)
        self.answer = answer
        self.parent: int | None = None
        """The process to end with; checked while nothing else is to do."""
        self._ending = False

    def server_bind(self) -> None:
        """Without the look-up of the host's name, which may leave the machine."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def service_actions(self) -> None:
        """Between requests: end when the parent has."""
        if self.parent is not None and os.getppid() != self.parent and not self._ending:
            self.stop()

    def stop(self) -> None:
        """Leave `serve_forever`, from whatever thread or signal handler."""
        self._ending = True
        threading.Thread(target=self.shutdown).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """A broken connection is the client's affair; faults of ours are answered with a 500 before this."""
