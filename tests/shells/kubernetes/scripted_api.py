"""An HTTP server that answers as a test says: for what a healthy API server does not answer on demand."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request, as it came."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Says:
    """An answer. `cut`: break the connection off instead of ending the answer; with no status, at once."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


def says(document: Any, status: int = 200, **headers: str) -> Says:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Says(status, json.dumps(document).encode(), {"Content-Type": "application/json", **named})


def status(code: int, message: str, reason: str = "", **headers: str) -> Says:
    """A `Status`, as API servers send it."""
    document = {"kind": "Status", "status": "Failure", "message": message, "reason": reason, "code": code}
    return says(document, code, **headers)


class ScriptedApi:
    """`answer` decides; `asked` is what came so far."""

    def __init__(self, answer: Callable[[Asked], Says], url: str) -> None:
        self.answer = answer
        self.url = url
        self.asked: list[Asked] = []

    def kubeconfig(
        self,
        path: Path,
        user: Mapping[str, Any] | None = None,
        *,
        proxy: str = "",
        authority: Path | None = None,
    ) -> Path:
        """With one context, ``scripted``."""
        cluster = {"server": self.url, **({"proxy-url": proxy} if proxy else {})}
        cluster |= {"certificate-authority": str(authority)} if authority else {}
        document = {
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user or {"token": "t-1"}}],
            "contexts": [{"name": "scripted", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "scripted",
        }
        path.write_text(json.dumps(document))
        return path


@contextmanager
def scripted(
    answer: Callable[[Asked], Says], *, tls: tuple[Path, Path] | None = None
) -> Iterator[ScriptedApi]:
    """Serves on loopback while the context lasts; `tls`: with this certificate and key."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hangs up is what tests are about."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None: ...

        def handle_any(self) -> None:
            split = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = parse_qs(split.query)
            asked = Asked(self.command, split.path, query, dict(self.headers.items()), body)
            api.asked.append(asked)
            answered = api.answer(asked)
            if answered.status:
                self.send_response_only(answered.status)  # no date of its own
                for name, value in answered.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answered.body) + (100 if answered.cut else 0)))
                self.end_headers()
                self.wfile.write(answered.body)
            if answered.cut:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.handle_any)
    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    server.block_on_close = False
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    api = ScriptedApi(answer, f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
