"""The stand-in's HTTP service: it plays replies in order, and keeps what it was asked."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hive.standins.models.encoding import Answer, document, events, failure
from hive.standins.models.replies import CallTool, Fail, Reply, Say
from hive.standins.models.requests import Asked, dialect_of, read_request
from hive.standins.models.tools import fit, placeholder

Script = Callable[[Asked], Reply]
_MODELS = {"object": "list", "data": [{"id": "scripted", "object": "model", "type": "model"}]}


class ModelServer:
    """A model on ``127.0.0.1`` at a port of its own. A context manager; thread-safe.

    Only requests that offer tools are turns: they take the replies of `play`, one each, and then what
    `otherwise` says. Side calls (titles, summaries) are answered ``ok``, unless `fails_alone` is False
    and the reply at hand is a failure that never ends.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        """Every turn asked for, in order."""
        self.side: list[Asked] = []
        self.keys: set[str] = set()
        """Every credential that was shown, in any of the headers for one."""
        self.unserved: list[str] = []
        """Method and path of what is not served."""
        self.otherwise: Script = _acknowledge
        self.aside: Script = _least
        self._queue: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._number = 0
        self._owed = 0
        self._stopping = threading.Event()
        self._http = _Http(("127.0.0.1", 0), self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, name="models", daemon=True
        )

    @property
    def url(self) -> str:
        """The root of all dialects, without a slash at its end."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def settled(self) -> int | None:
        """How many turns were asked for and answered to the end; None while any answer is still owed."""
        with self._lock:
            return None if self._owed else len(self.asked)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def play(self, *replies: Reply) -> None:
        """Add replies, one for each turn to come."""
        with self._lock:
            self._queue.extend(replies)

    def clear(self) -> None:
        """Forget the replies that nobody asked for."""
        with self._lock:
            self._queue.clear()

    def answer(self, asked: Asked) -> tuple[int, Reply]:
        """Keep a request and find its reply."""
        with self._lock:
            self._number += 1
            if not asked.tools:
                self.side.append(asked)
                return self._number, self.aside(asked)
            self.asked.append(asked)
            reply = self._queue.popleft() if self._queue else None
            return self._number, reply or self.otherwise(asked)

    @contextlib.contextmanager
    def owing(self) -> Iterator[None]:
        """While a request that came in is not answered to its end."""
        with self._lock:
            self._owed += 1
        try:
            yield
        finally:
            with self._lock:
                self._owed -= 1

    def wait(self, seconds: float) -> None:
        """Let time pass, but not longer than the server lives."""
        if seconds > 0:
            self._stopping.wait(seconds)


def _least(asked: Asked) -> Reply:
    return Say((json.dumps(placeholder(asked.wanted)) if asked.wanted else "ok",))


def _acknowledge(asked: Asked) -> Reply:
    if asked.results:
        return Say(("The tool answered.",))
    return Say((f"I was given {len(asked.prompt)} characters.",))


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], models: ModelServer) -> None:
        self.models = models
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that hangs up is part of what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """The requests themselves are kept instead."""

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        if self.path.partition("?")[0].endswith("/models"):
            self._send(200, _MODELS)
        else:
            self._unserved()

    def do_POST(self) -> None:
        shown = (self.headers.get(name) for name in ("x-api-key", "x-goog-api-key", "authorization"))
        self.server.models.keys.update(key for key in shown if key)
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            self._send(200, {"input_tokens": 100, "totalTokens": 100})
            return
        dialect = dialect_of(path)
        if dialect is None:
            self._unserved()
            return
        asked = read_request(dialect, path, json.loads(raw or b"{}"))
        with self.server.models.owing():
            number, reply = self.server.models.answer(asked)
            if isinstance(reply, Fail):
                self._send(reply.status, failure(dialect, reply), reply.headers)
            else:
                self._answer(number, asked, reply)

    def _answer(self, number: int, asked: Asked, reply: Say | CallTool) -> None:
        if isinstance(reply, CallTool):
            call, chunks, gap, cut = fit(reply, asked.tools), (reply.before,) * bool(reply.before), 0.0, False
            if call is None:
                chunks = (f"None of the tools {', '.join(reply.names)} is offered.",)
        else:
            call, chunks, gap, cut = None, reply.chunks, reply.gap, reply.cut
            self.server.models.wait(reply.delay)
        answer = Answer(number, asked, chunks, call, reply.input_tokens, reply.output_tokens)
        if asked.stream:
            self._stream(events(answer), chunks, gap, cut)
        else:
            self._send(200, document(answer))

    def _stream(
        self, found: Iterator[tuple[str | None, Any]], chunks: tuple[str, ...], gap: float, cut: bool
    ) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        texts = iter((*chunks, None))
        text = next(texts)
        with contextlib.suppress(ConnectionError):
            for name, data in found:
                encoded = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
                head = f"event: {name}\n" if name else ""
                self.wfile.write(f"{head}data: {encoded}\n\n".encode())
                self.wfile.flush()
                if text is not None and json.dumps(text, ensure_ascii=False) in encoded:
                    text = next(texts)
                    if text is None and cut:
                        return
                    self.server.models.wait(gap)

    def _unserved(self) -> None:
        self.server.models.unserved.append(f"{self.command} {self.path}")
        self._send(404, {"error": {"type": "not_found_error", "message": f"not served: {self.path}"}})

    def _send(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)
