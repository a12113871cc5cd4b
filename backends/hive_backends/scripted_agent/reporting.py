"""The way to hive itself: its Unix socket on hive's machine, its own door with TLS in a pod."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from hive_backends.scripted_agent.effects import Result

if TYPE_CHECKING:
    from http.client import HTTPConnection

_ANSWER_SECONDS = 10.0


def post(path: str, value: dict[str, object]) -> Result:
    """One request with `value` as JSON; every way to fail becomes a result that says so.

    In a pod hive is at HIVE_FINDINGS_URL, whatever the path.
    """
    from http.client import HTTPException

    headers = {"Content-Type": "application/json"}
    try:
        headers["Authorization"] = f"token {_token()}"
        connection, path = _way(path)
    except (OSError, ValueError) as error:
        return Result(1, f"there is no way to hive: {error}")
    try:
        connection.request("POST", path, json.dumps(value).encode(), headers)
        response = connection.getresponse()
        text = response.read(65536).decode(errors="replace")
    except (OSError, HTTPException) as error:
        return Result(1, f"error connecting to hive ({error})")
    finally:
        connection.close()
    return Result(0 if response.status < 300 else 1, f"HTTP {response.status}: {text.strip()}")


def _token() -> str:
    """A pod's is read at each use: it may be another one by now."""
    file = os.environ.get("HIVE_TOKEN_FILE")
    if not file:
        return os.environ.get("HIVE_TOKEN", "")
    with open(file, encoding="ascii") as held:
        return held.read().strip()


def _way(path: str) -> tuple[HTTPConnection, str]:
    """A connection, not yet made, and the path to ask for. Raises `ValueError` where there is none."""
    socket_path, url = os.environ.get("HIVE_GATEWAY_SOCKET"), os.environ.get("HIVE_FINDINGS_URL")
    if socket_path:
        return _by_socket(socket_path), path
    if url:
        return _by_tls(url)
    raise ValueError("neither HIVE_GATEWAY_SOCKET nor HIVE_FINDINGS_URL is set")


def _by_socket(socket_path: str) -> HTTPConnection:
    import socket
    from http.client import HTTPConnection

    class Connection(HTTPConnection):
        def connect(self) -> None:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(_ANSWER_SECONDS)
            self.sock.connect(socket_path)

    return Connection("hive", timeout=_ANSWER_SECONDS)


def _by_tls(url: str) -> tuple[HTTPConnection, str]:
    import ssl
    from http.client import HTTPSConnection
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname:
        raise ValueError("HIVE_FINDINGS_URL is no https address")
    context = ssl.create_default_context(cafile=os.environ.get("HIVE_CA_FILE"))
    connection = HTTPSConnection(parts.hostname, parts.port, timeout=_ANSWER_SECONDS, context=context)
    return connection, parts.path or "/"
