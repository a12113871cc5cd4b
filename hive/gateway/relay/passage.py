"""One request to a provider, sent once, and its answer as it comes. Connections are kept and reused."""

from __future__ import annotations

import contextlib
import http.client
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import SplitResult, urlsplit

from hive.decisions.requests.model import names
from hive.errors import InDoubt, Unreachable
from hive.gateway.relay.hangups import Hangups
from hive.gateway.wire import Closed

_PIECE = 65_536
_IDLE_CONNECTIONS = 64
_IDLE_S = 30.0
"""Providers close what says nothing for a minute or so: a connection near that end is not trusted with a
request that cannot be sent twice."""
_CONNECT_S = 15.0
_ANSWER_S = 600.0
"""How long a provider may say nothing: models think for minutes before the first word of an answer that is
not streamed."""
_HOP_BY_HOP = names(
    "connection keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding upgrade"
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request to a provider: `length` None for a body in chunks."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    pieces: Iterable[bytes]
    length: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """Attributes:
    pieces: The body as it arrives, after the transfer coding alone. Raises `Closed` where it breaks off.
    close: Hang up, where `pieces` were not begun.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    pieces: Iterator[bytes]
    close: Callable[[], None]

    def header(self, name: str) -> str:
        """The first of that name; empty for none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class Passages:
    """Thread-safe."""

    def __init__(self, answer_s: float = _ANSWER_S) -> None:
        self._answer_s = answer_s
        self._hangups = Hangups()
        self._idle: list[tuple[str, float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context()

    def close(self) -> None:
        with self._lock:
            for _, _, connection in self._idle:
                connection.close()
            self._idle.clear()
        self._hangups.close()

    def ask(self, sent: Sent, agent: int = -1) -> Answered:
        """`agent` is the descriptor of the connection to who asks: when it is gone, so is the request.

        Raises `Unreachable` where nothing was sent, `InDoubt` where no answer came, and what reading
        `sent.pieces` raises."""
        parts = urlsplit(sent.url)
        key = f"{parts.scheme}://{parts.netloc}"
        connection = self._connection(key, parts)
        under_way = contextlib.ExitStack()
        try:
            under_way.enter_context(self._hangups.ending(agent, connection.sock))
            self._send(connection, parts, sent)
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            under_way.close()
            connection.close()
            raise InDoubt("models", f"{parts.netloc} did not answer: {error}") from error
        except BaseException:
            under_way.close()
            connection.close()
            raise
        headers = tuple((n, v) for n, v in response.getheaders() if n.lower() not in _HOP_BY_HOP)
        pieces = self._pieces(key, connection, response, under_way)
        hang_up = partial(_hang_up, under_way, connection, response)
        return Answered(response.status, headers, pieces, hang_up)

    def _connection(self, key: str, parts: SplitResult) -> http.client.HTTPConnection:
        """An idle connection that its peer has not closed meanwhile, or a new one. Raises `Unreachable`."""
        while (found := self._take(key)) is not None:
            if found.sock is not None and not select.select([found.sock], [], [], 0)[0]:
                return found
            found.close()
        host, port = parts.hostname or "", parts.port
        connection = (
            http.client.HTTPSConnection(host, port, timeout=_CONNECT_S, context=self._tls)
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=_CONNECT_S)
        )
        try:
            connection.connect()
            connection.sock.settimeout(self._answer_s)
        except OSError as error:
            connection.close()
            raise Unreachable("models", f"{parts.netloc} cannot be reached: {error}") from error
        return connection

    def _take(self, key: str) -> http.client.HTTPConnection | None:
        now = time.monotonic()
        with self._lock:
            old = [one for one in self._idle if now - one[1] > _IDLE_S]
            self._idle = [one for one in self._idle if now - one[1] <= _IDLE_S]
            index = next((i for i in reversed(range(len(self._idle))) if self._idle[i][0] == key), None)
            found = self._idle.pop(index)[2] if index is not None else None
        for _, _, connection in old:
            connection.close()
        return found

    def _send(self, connection: http.client.HTTPConnection, parts: SplitResult, sent: Sent) -> None:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.putrequest(sent.method, target or "/", skip_accept_encoding=True)
        for name, value in sent.headers:
            connection.putheader(name, value)
        # What is counted has to be readable; whoever compresses all the same is read all the same.
        connection.putheader("Accept-Encoding", "identity")
        if sent.length is None:
            connection.putheader("Transfer-Encoding", "chunked")
        elif sent.length or sent.method == "POST":
            connection.putheader("Content-Length", str(sent.length))
        connection.endheaders()
        try:
            for piece in sent.pieces:
                connection.send(b"%x\r\n%b\r\n" % (len(piece), piece) if sent.length is None else piece)
            if sent.length is None:
                connection.send(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            # It may have said why before it hung up: that is the answer then.
            _stop_sending(connection)

    def _pieces(
        self,
        key: str,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        under_way: contextlib.ExitStack,
    ) -> Iterator[bytes]:
        try:
            with under_way:
                while piece := response.read1(_PIECE):
                    yield piece
                if response.length:
                    raise Closed
                response.close()  # one with a length does not see its own end (http.client)
        except (OSError, http.client.HTTPException) as error:
            _hang_up(under_way, connection, response)
            raise Closed from error
        except BaseException:
            _hang_up(under_way, connection, response)
            raise
        self._give_back(key, connection, response)

    def _give_back(
        self, key: str, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ) -> None:
        with self._lock:
            if response.isclosed() and connection.sock is not None and len(self._idle) < _IDLE_CONNECTIONS:
                self._idle.append((key, time.monotonic(), connection))
                return
        connection.close()


def _hang_up(
    under_way: contextlib.ExitStack,
    connection: http.client.HTTPConnection,
    response: http.client.HTTPResponse,
) -> None:
    under_way.close()
    response.close()
    connection.close()


def _stop_sending(connection: http.client.HTTPConnection) -> None:
    with contextlib.suppress(OSError):
        connection.sock.shutdown(socket.SHUT_WR)
