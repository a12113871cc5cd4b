"""A connection of hive's own to a server of HTTP/1.1, used for one request after another."""

from __future__ import annotations

import contextlib
import re
import select
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult

from hive.gateway.http_answer import Answer

_TARGET = re.compile(r"[\x21-\x7e]+")
_VALUE = re.compile(r"[\x20-\x7e\x80-\xff\t]*")
_SMALL = 65_536
"""Bytes of a body that leave with their head: two writes would be two packets."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HttpConnection:
    """Opened with the first request. One thread at a time."""

    def __init__(self, where: SplitResult, tls: ssl.SSLContext, timeout: float) -> None:
        """`where` gives scheme, host and port; `timeout` is for each wait, in seconds."""
        self._host = where.hostname or ""
        self._port = where.port or _DEFAULT_PORTS[where.scheme]
        self._tls = tls if where.scheme == "https" else None
        self._named = where.netloc.rpartition("@")[2]
        self._timeout = timeout
        self._stream: socket.socket | None = None

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """Send one request; its answer, whose body is yet to be read.

        Raises `OSError`; `ValueError` before anything is sent, for what is no target or header.
        """
        head = _head(method, target, {"Host": self._named, **headers}, body)
        stream = self._stream = self._stream or self._connect()
        if body and len(body) > _SMALL:
            stream.sendall(head)
            stream.sendall(body)
        else:
            stream.sendall(head + (body or b""))
        return Answer(stream, method)

    def is_open(self) -> bool:
        """Whether it is, and its server has said nothing unasked: else it has closed, or is about to."""
        if self._stream is None:
            return False
        poll = select.poll()  # `select` knows no descriptor above 1023
        poll.register(self._stream, select.POLLIN)
        return not poll.poll(0)

    def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()

    def _connect(self) -> socket.socket:
        stream = socket.create_connection((self._host, self._port), self._timeout)
        try:
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return self._tls.wrap_socket(stream, server_hostname=self._host) if self._tls else stream
        except BaseException:
            stream.close()
            raise


def _head(method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    if not _TARGET.fullmatch(target):
        raise ValueError(f"{target!r} is no target of a request")
    lines = [f"{method} {target} HTTP/1.1"]
    for name, value in headers.items():
        if not _VALUE.fullmatch(value):
            raise ValueError(f"the header {name} has characters that none may have")
        lines.append(f"{name}: {value}")
    if body is not None or method not in ("GET", "HEAD", "DELETE"):
        lines.append(f"Content-Length: {len(body or b'')}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
