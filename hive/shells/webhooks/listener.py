"""Hears from GitHub that something happened in a repository, so that it is looked at early.

A delivery carries no fact that is believed: it only wakes a look. One that gets lost costs nothing but time,
for the next look sees everything.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hive.errors import Unreachable

_LARGEST = 25 * 1024 * 1024
"""Bytes of a body: GitHub sends no larger ones (documented)."""
_REMEMBERED = 10_000
"""Deliveries of which a second one is refused (chosen): more than any hour brings."""
_PATIENCE_S = 10.0
"""How long a delivery may take to arrive; GitHub itself gives up after ten seconds (documented)."""
_MOST_AT_ONCE = 16


class Deliveries:
    """What is taken for a delivery of GitHub's: `secret` is asked for at each, `wake` gets ``OWNER/NAME``."""

    def __init__(self, secret: Callable[[], str], wake: Callable[[str], None]) -> None:
        self._secret = secret
        self._wake = wake
        self._lock = threading.Lock()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._counts: Counter[str] = Counter()

    def counts(self) -> Mapping[str, int]:
        """Since the start: ``heard``, ``unsigned`` (refused for the signature), ``repeated`` (refused)."""
        with self._lock:
            return {kind: self._counts[kind] for kind in ("heard", "unsigned", "repeated")}

    def take(self, signature: str, delivery: str, event: str, body: bytes) -> tuple[int, str]:
        """The answer: a status and a line. A repository is woken by what is signed and new alone."""
        signed = hmac.new(self._secret().encode(), body, hashlib.sha256).hexdigest()
        # In constant time, of bytes: a text that is not ASCII would raise.
        if not hmac.compare_digest(f"sha256={signed}".encode(), signature.encode("utf-8", "replace")):
            self._count("unsigned")
            return 401, "the signature is not of github.webhooks.secret"
        # The number of a delivery is not signed; what is, has to be new too.
        if not self._is_new(f"{event} {signed}", f"delivery {delivery}"):
            self._count("repeated")
            return 409, "this was delivered before"
        self._count("heard")
        repo = _repository(body)
        if repo and event != "ping":
            self._wake(repo)
        return 202, "heard"

    def _count(self, kind: str) -> None:
        with self._lock:
            self._counts[kind] += 1

    def _is_new(self, *keys: str) -> bool:
        with self._lock:
            is_new = not any(key in self._seen for key in keys)
            self._seen.update(dict.fromkeys(keys))
            while len(self._seen) > 2 * _REMEMBERED:
                self._seen.popitem(last=False)
            return is_new


def _repository(body: bytes) -> str:
    try:
        told: Any = json.loads(body)
        return str(told["repository"]["full_name"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


class WebhookListener:
    """Serves `deliveries` at an address until it is closed."""

    def __init__(self, host: str, port: int, deliveries: Deliveries) -> None:
        """Raises `Unreachable` where the address cannot be had."""
        self._deliveries = deliveries
        busy = threading.BoundedSemaphore(_MOST_AT_ONCE)

        class Handler(BaseHTTPRequestHandler):
            timeout = _PATIENCE_S
            server_version = "hive"
            sys_version = ""

            def do_POST(self) -> None:
                with busy:
                    self._answer(*self._heard())

            def _heard(self) -> tuple[int, str]:
                length = self.headers.get("Content-Length", "")
                if not length.isdecimal():
                    return 411, "the length is missing"
                if int(length) > _LARGEST:
                    return 413, "the body is too large"
                body = self.rfile.read(int(length))
                if len(body) < int(length):
                    return 400, "the body is cut short"
                signature = self.headers.get("X-Hub-Signature-256", "")
                delivery = self.headers.get("X-GitHub-Delivery", "")
                return deliveries.take(signature, delivery, self.headers.get("X-GitHub-Event", ""), body)

            def _answer(self, status: int, line: str) -> None:
                text = f"{line}\n".encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(text)
                self.close_connection = True

            def log_message(self, format: str, *arguments: object) -> None:
                """Anybody may knock here: nothing of it is written down."""

        try:
            self._server = ThreadingHTTPServer((host, port), Handler)
        except OSError as error:
            raise Unreachable("webhooks", f"{host}:{port} cannot be listened at: {error.strerror}") from error
        self._server.daemon_threads = True
        self._host, self.port = host, int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, name="webhooks", daemon=True)
        self._thread.start()

    def report(self) -> Mapping[str, str | int]:
        """Where it listens, and what became of the deliveries since the start."""
        return {"at": f"{self._host}:{self.port}", **self._deliveries.counts()}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(1.0)
