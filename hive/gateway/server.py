"""The two ways in, and the threads behind them: a Unix socket for plain HTTP, and a proxy on loopback.

Each connection has a thread of its own, and there are only so many. Both ways end in one handler, which
gets a request, its body, and the host that the connection was made to (empty on the Unix socket).
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from hive.decisions.requests import Hosts, NotUnderstood, Request
from hive.decisions.requests.address import canonical_host
from hive.gateway import answers
from hive.gateway.settings import GatewaySettings
from hive.gateway.wire import Body, Closed, Malformed, Peer, Response

_LOG = logging.getLogger(__name__)
_DRAIN_S = 1.0
_GRACE_S = 1.0
"""How long a connection may wait for its request before another may have its place."""


class Handler(Protocol):
    """Answers one request. `host` is the one that a tunnel leads to; empty without a tunnel."""

    def most_bytes(self, request: Request) -> int:
        """How large the body of `request` may be."""
        ...

    def answer(self, request: Request, body: Body, host: str) -> Response: ...


class Server:
    """Attributes:
    port: Of the proxy, once started.
    """

    def __init__(
        self, settings: GatewaySettings, handler: Handler, context: Callable[[str], ssl.SSLContext]
    ) -> None:
        self.port = settings.port
        self._settings = settings
        self._handler = handler
        self._context = context
        self._listeners: list[socket.socket] = []
        self._acceptors: list[threading.Thread] = []
        self._connections: dict[socket.socket, socket.socket] = {}
        """What was accepted to what is now to be cut off at closing: the TLS layer over it, if any."""
        self._waiting: dict[socket.socket, float] = {}
        """What was accepted and is yet to send a whole head, and since when."""
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def start(self) -> None:
        """Raises `OSError` where an address is taken."""
        unix, proxy = self._listen_unix(), self._listen_proxy()
        self.port = proxy.getsockname()[1]
        for listener, tunnels in ((unix, False), (proxy, True)):
            self._listeners.append(listener)
            thread = threading.Thread(
                target=self._accept, args=(listener, tunnels), name="gateway-accept", daemon=True
            )
            thread.start()
            self._acceptors.append(thread)

    def _listen_unix(self) -> socket.socket:
        path = self._settings.socket_path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Bound under another name and then moved over the old one: never missing, never half open.
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.unlink(missing_ok=True)
        listener.bind(str(part))
        part.chmod(self._settings.socket_mode)
        listener.listen(128)
        part.replace(path)
        return listener

    def _listen_proxy(self) -> socket.socket:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self._settings.host, self._settings.port))
        listener.listen(128)
        return listener

    def close(self, timeout: float) -> None:
        """Stop accepting, let requests under way end for `timeout` seconds, then cut them off."""
        self._closing.set()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        deadline = time.monotonic() + timeout
        for thread in self._acceptors:
            thread.join(max(0.0, deadline - time.monotonic()))
        with self._lock:
            left = list(self._connections.values())
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RD)
        while self._connections and time.monotonic() < deadline:
            time.sleep(0.01)
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket, tunnels: bool) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                if self._closing.is_set():
                    return
                # Out of descriptors: those in use have to end first.
                time.sleep(0.05)
                continue
            if not self._admit(connection):
                self._turn_away(connection)
                continue
            threading.Thread(
                target=self._converse, args=(connection, tunnels), name="gateway-peer", daemon=True
            ).start()

    def _admit(self, connection: socket.socket) -> bool:
        """Take it in, where all places are taken instead of one that only waits: otherwise one agent with
        silent or very slow connections would keep all others out."""
        now = time.monotonic()
        idle = None
        with self._lock:
            if len(self._connections) >= self._settings.limits.connections:
                longest = min(self._waiting, key=lambda each: self._waiting[each], default=None)
                if longest is None or now - self._waiting[longest] < _GRACE_S:
                    return False
                del self._waiting[longest]
                idle = self._connections[longest]
            self._connections[connection] = connection
            self._waiting[connection] = now
        if idle is not None:
            with contextlib.suppress(OSError):
                idle.shutdown(socket.SHUT_RDWR)
        return True

    def _turn_away(self, connection: socket.socket) -> None:
        peer = Peer(connection, self._settings.limits)
        connection.settimeout(0.2)
        with contextlib.suppress(Closed):
            peer.answer(answers.problem(503, "too many connections; try again"), to="GET", close=True)
        connection.close()

    def _converse(self, connection: socket.socket, tunnels: bool) -> None:
        try:
            if connection.family != socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer = Peer(connection, self._settings.limits)
            if tunnels:
                self._tunnel(peer, connection)
            else:
                self._requests(peer, "", connection)
        except Closed:
            pass
        except (OSError, ssl.SSLError) as error:
            _LOG.info("a connection to the gateway ended: %s", error)
        except Exception:
            # One request's bug must not take the gateway with it; the peer sees a closed connection.
            _LOG.exception("the gateway failed on a request")
        finally:
            with self._lock:
                del self._connections[connection]
                self._waiting.pop(connection, None)
            connection.close()

    def _tunnel(self, peer: Peer, connection: socket.socket) -> None:
        try:
            head = peer.read_head()
        except Malformed as reason:
            peer.answer(answers.problem(reason.status, str(reason)), to="GET", close=True)
            return
        if head is None:
            return
        host = canonical_host(head.target, 443) if head.method == "CONNECT" else None
        if host not in _known(self._settings.hosts) or not head.target.endswith(":443"):
            said = f"{head.method} {head.target} leads out; only the forge is reached through hive"
            peer.answer(answers.problem(403, said), to=head.method, close=True)
            return
        assert host is not None
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        context = self._context(host)
        with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secure:
            with self._lock:
                self._connections[connection] = secure
            secure.do_handshake()
            self._requests(Peer(secure, self._settings.limits), host, connection)

    def _requests(self, peer: Peer, host: str, accepted: socket.socket) -> None:
        try:
            while not self._closing.is_set():
                with self._waits(accepted):
                    head = peer.read_head()
                if head is None or not self._one(peer, head, host, accepted):
                    return
        except Malformed as reason:
            peer.answer(answers.problem(reason.status, str(reason)), to="GET", close=True)

    @contextlib.contextmanager
    def _waits(self, accepted: socket.socket) -> Iterator[None]:
        """While the peer is waited for. Raises `Closed` when another has got its place meanwhile."""
        with self._lock:
            self._waiting[accepted] = time.monotonic()
        yield
        with self._lock:
            if self._waiting.pop(accepted, None) is None:
                raise Closed

    def _one(self, peer: Peer, head: Request, host: str, accepted: socket.socket) -> bool:
        """Answer one request; whether the connection may go on."""
        body = peer.body(head, self._handler.most_bytes(head))
        response = self._handler.answer(head, body, host)
        with self._waits(accepted):
            for _ in body.pieces():
                """What was not read (of a peer without a token: all) stands before the next request."""
        try:
            close = self._closing.is_set() or (head.header("Connection") or "").lower() == "close"
        except NotUnderstood:
            close = True
        peer.answer(response, to=head.method, close=close)
        return not close


def _known(hosts: Hosts) -> frozenset[str | None]:
    return frozenset({hosts.api, hosts.web, hosts.enterprise} - {None})
