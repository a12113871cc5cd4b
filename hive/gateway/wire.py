"""HTTP/1.1 with an agent's tools: one request after another on a connection, each bounded and in no doubt."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from hive.decisions.requests import NotUnderstood, Request
from hive.decisions.requests.raw import CHUNKED, body_length, parse_head
from hive.gateway.settings import Limits

_PIECE = 65_536
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:;[^\r\n]{0,200})?\r\n")


class Closed(Exception):
    """The peer went away, or said nothing for too long."""


class Malformed(Exception):
    """What the peer sent is not HTTP/1.1 beyond doubt; `status` is the answer before closing."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Stream(Protocol):
    """What of a socket is used here, whatever layers are over it. All methods raise `OSError`."""

    def settimeout(self, value: float | None, /) -> None: ...

    def recv(self, most: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Response:
    """An answer; a body in pieces whose length is not in `headers` is sent in chunks.

    Attributes:
        after_s: For how long it is held back.
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | Iterable[bytes] = b""
    after_s: float = 0.0

    def drop(self) -> None:
        """Let go of a body that is read no further: now, and not whenever its last reference goes."""
        close = getattr(self.body, "close", None)
        if close is not None:
            close()


class Peer:
    """A connection with a buffer in front of it."""

    def __init__(self, connection: Stream, limits: Limits) -> None:
        self._connection = connection
        self.limits = limits
        self._buffer = b""
        connection.settimeout(limits.idle_s)

    def read_head(self) -> Request | None:
        """The next request without its body; `None` when the peer has closed between requests.

        Raises `Malformed`, `Closed`.
        """
        until = None
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > self.limits.head_bytes:
                raise Malformed("the head of the request is too large", 431)
            if self._buffer and until is None:
                until = time.monotonic() + self.limits.head_s
            elif until is not None and time.monotonic() > until:
                raise Closed
            piece = self._receive()
            if not piece:
                if self._buffer.strip(b"\r\n"):
                    raise Closed
                return None
            self._buffer += piece
        head, _, self._buffer = self._buffer.lstrip(b"\r\n").partition(b"\r\n\r\n")
        if len(head) > self.limits.head_bytes:
            raise Malformed("the head of the request is too large", 431)
        try:
            return parse_head(head)
        except NotUnderstood as reason:
            raise Malformed(f"the request cannot be read: {reason}") from None

    def body(self, head: Request, most: int) -> Body:
        """The body that follows `head`. Raises `Malformed` when it is in doubt or larger than `most`."""
        try:
            length = body_length(head)
            expects = (head.header("Expect") or "").lower()
        except NotUnderstood as reason:
            raise Malformed(f"the request cannot be read: {reason}") from None
        if length > most:
            raise Malformed(f"the body of the request is larger than {most} bytes", 413)
        if expects == "100-continue" and length != 0 and not self._buffer:
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return Body(self, length, most)

    def left(self) -> bytes:
        """What has come and was not asked for; it is the caller's from now on."""
        left, self._buffer = self._buffer, b""
        return left

    def take(self, most: int) -> bytes:
        """Between one and `most` bytes. Raises `Closed` at the end."""
        if not self._buffer:
            self._buffer = self._receive()
            if not self._buffer:
                raise Closed
        piece, self._buffer = self._buffer[:most], self._buffer[most:]
        return piece

    def take_line(self) -> bytes:
        """Up to and with the next newline, at most 256 bytes of it."""
        while b"\n" not in self._buffer[:256]:
            if len(self._buffer) >= 256:
                raise Malformed("a chunk of the body has no length")
            piece = self._receive()
            if not piece:
                raise Closed
            self._buffer += piece
        line, newline, self._buffer = self._buffer.partition(b"\n")
        return line + newline

    def _receive(self) -> bytes:
        try:
            return self._connection.recv(_PIECE)
        except OSError as error:
            raise Closed from error

    def send(self, data: bytes) -> None:
        """Raises `Closed`."""
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise Closed from error

    def answer(self, response: Response, *, to: str, close: bool) -> None:
        """Send `response` to a request with the method `to`. Raises `Closed`.

        The head and a whole body leave in one write: two would wait for a delayed acknowledgement.
        """
        names = {name.lower() for name, _ in response.headers}
        extra = [("Connection", "close")] if close else []
        whole = response.body if isinstance(response.body, bytes) else None
        bodiless = to == "HEAD" or response.status in (204, 304)
        if whole is not None and "content-length" not in names and response.status not in (204, 304):
            extra.append(("Content-Length", str(len(whole))))
        chunked = whole is None and "content-length" not in names and not bodiless
        if chunked:
            extra.append(("Transfer-Encoding", "chunked"))
        head = _head(response, extra)
        try:
            if bodiless:
                self.send(head)
            elif whole is not None:
                self.send(head + whole)
            else:
                self._stream(head, response.body, chunked)
        finally:
            response.drop()  # a peer may have hung up

    def _stream(self, head: bytes, pieces: Iterable[bytes] | bytes, chunked: bool) -> None:
        assert not isinstance(pieces, bytes)
        waiting = head
        for piece in pieces:
            if piece:
                self.send(waiting + (b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece))
                waiting = b""
        self.send(waiting + (b"0\r\n\r\n" if chunked else b""))


def _head(response: Response, extra: Iterable[tuple[str, str]]) -> bytes:
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {response.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in (*response.headers, *extra)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


class Body:
    """A request's body, read as it comes, never more than its bound."""

    def __init__(self, peer: Peer, length: int, most: int) -> None:
        self._peer = peer
        self._left = length if length != CHUNKED else 0
        self._chunked = length == CHUNKED
        self._most = most
        self._taken = 0

    @property
    def is_over(self) -> bool:
        """Whether all of it was read."""
        return self._left == 0 and not self._chunked

    def pieces(self) -> Iterator[bytes]:
        """All of it, in pieces. Raises `Malformed`, `Closed`."""
        while True:
            if self._left == 0 and self._chunked:
                self._next_chunk()
            if self._left == 0:
                return
            piece = self._peer.take(min(self._left, _PIECE))
            self._left -= len(piece)
            self._taken += len(piece)
            if self._left == 0 and self._chunked and self._peer.take_line() != b"\r\n":
                raise Malformed("a chunk of the body is longer than it says")
            yield piece

    def _next_chunk(self) -> None:
        match = _CHUNK_LINE.fullmatch(self._peer.take_line())
        if match is None:
            raise Malformed("a chunk of the body has no length")
        self._left = int(match[1], 16)
        if self._taken + self._left > self._most:
            raise Malformed(f"the body of the request is larger than {self._most} bytes", 413)
        if self._left == 0:
            self._chunked = False
            if self._peer.take_line() != b"\r\n":
                raise Malformed("trailers are not taken")

    def whole(self) -> bytes:
        """All of it at once. Raises `Malformed`, `Closed`."""
        return b"".join(self.pieces())
