"""HTTP to one API server: its pool, its credentials, and one renewal of them where the server says 401."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

import urllib3
from kubernetes.client import Configuration
from kubernetes.client.rest import RESTClientObject

from hive.shells.kubernetes.failures import Request, broken_connection, failure

T = TypeVar("T")

CONNECT_SECONDS = 5.0
"""Chosen: a handshake across the world takes under one; a member that is away must not hold the fleet up."""

_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it goes out. `query`: pairs, since `command` of an exec is there once for each word."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"


@dataclass(frozen=True, slots=True)
class Session:
    """Settings that were loaded together, and the pool made from them."""

    settings: Configuration
    pool: urllib3.PoolManager
    host: str

    def headers(self) -> dict[str, str]:
        token = self.settings.api_key.get("BearerToken")
        return {"User-Agent": "hive", **({"Authorization": token} if token else {})}


class Connection:
    """Thread-safe. `load` gives the settings, and gives them anew when the server refused the last."""

    def __init__(self, name: str, load: Callable[[], Configuration], timeout: float) -> None:
        self.name = name
        self.timeout = timeout
        self._load = load
        self._lock = threading.Lock()
        self._session: Session | None = None

    def close(self) -> None:
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.pool.clear()

    def send(self, request: Request, call: Call) -> bytes:
        """The body of a success; raises what anything else means."""
        end = time.monotonic() + self.timeout
        response = self.open(request, call, read_timeout=self.timeout)
        try:
            return _read(response, end)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            response.close()
            raise broken_connection(request, error) from error
        finally:
            response.release_conn()

    def open(
        self, request: Request, call: Call, *, read_timeout: float, header_timeout: float | None = None
    ) -> urllib3.BaseHTTPResponse:
        """A success whose body is still to come: for streams, which end only when somebody ends them.

        `read_timeout`: seconds between two pieces of the body; until it begins, `header_timeout` counts.
        """
        first = min(read_timeout, header_timeout or self.timeout)
        response = self.with_login(lambda session: self._try(request, call, session, first), _is_refused)
        if response.status < 300:
            held = socket_of(response)
            if held is not None:
                held.settimeout(read_timeout)
            return response
        try:
            body = _read(response, time.monotonic() + self.timeout)
        except (urllib3.exceptions.HTTPError, OSError):
            body = b""
        response.close()
        raise failure(request, response.status, response.headers, body)

    def with_login(self, attempt: Callable[[Session], T], is_refused: Callable[[T], bool]) -> T:
        """Try; where the credentials were refused, load them anew and try once more.

        A server that says 401 has done nothing, so this is safe for writes too.
        """
        session = self.session()
        answer = attempt(session)
        if not is_refused(answer):
            return answer
        return attempt(self._renewed(session))

    def session(self) -> Session:
        with self._lock:
            if self._session is None:
                self._session = _session(self._load())
            return self._session

    def _renewed(self, refused: Session) -> Session:
        """New credentials, unless another thread has them already."""
        with self._lock:
            if self._session is not refused and self._session is not None:
                return self._session
            self._session = _session(self._load())
            refused.pool.clear()
            return self._session

    def _try(
        self, request: Request, call: Call, session: Session, read_timeout: float
    ) -> urllib3.BaseHTTPResponse:
        try:
            return self._request(call, session, read_timeout)
        except urllib3.exceptions.ProtocolError as error:
            if request.is_write:
                raise broken_connection(request, error) from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise broken_connection(request, error) from error
        # The server may close a connection that was idle in the moment a read is sent on it.
        try:
            return self._request(call, session, read_timeout)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise broken_connection(request, error) from error

    def _request(self, call: Call, session: Session, read_timeout: float) -> urllib3.BaseHTTPResponse:
        query = f"?{urlencode(call.query)}" if call.query else ""
        headers = {**session.headers(), "Accept": call.accept}
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        return session.pool.request(
            call.method,
            f"{session.host}{call.path}{query}",
            body=call.body,
            headers=headers,
            timeout=urllib3.Timeout(connect=min(CONNECT_SECONDS, self.timeout), read=read_timeout),
            preload_content=False,
        )


def _session(settings: Configuration) -> Session:
    return Session(settings, RESTClientObject(settings).pool_manager, str(settings.host).rstrip("/"))


def socket_of(response: urllib3.BaseHTTPResponse) -> socket.socket | None:
    """What an answer comes over; None once it has ended."""
    held = getattr(response.connection, "sock", None)
    return held if isinstance(held, socket.socket) else None


def _is_refused(response: urllib3.BaseHTTPResponse) -> bool:
    """Whether to try with new credentials. What such an answer says is of no use, but its connection is."""
    if response.status != 401:
        return False
    response.drain_conn()
    response.release_conn()
    return True


def _read(response: urllib3.BaseHTTPResponse, end: float) -> bytes:
    """All of the body, if it comes before `end`: a timeout of the socket alone bounds each piece only."""
    pieces = []
    for piece in response.stream(_PIECE):
        pieces.append(piece)
        if time.monotonic() > end:
            response.close()
            raise TimeoutError
    return b"".join(pieces)
