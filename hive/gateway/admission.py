"""Who may stay connected: so many at once, so many of one address, and the silent make room."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

from hive.gateway.wire import Closed

_GRACE_S = 1.0
"""How long a connection may wait for its request before another may have its place."""


class Admission:
    """The connections of one or more doors. Thread-safe."""

    def __init__(self, most: int, most_of_one: int | None = None) -> None:
        """At most `most` at once, and `most_of_one` of one address.

        `None` is no such bound, and there is none for what has no address.
        """
        self._most = most
        self._most_of_one = most_of_one
        self._lock = threading.Lock()
        self._inside: dict[socket.socket, socket.socket] = {}
        """What was accepted to what is to be cut off: the TLS layer over it, if any."""
        self._addresses: dict[socket.socket, str] = {}
        self._waiting: dict[socket.socket, float] = {}
        """What was accepted and is yet to send a whole head, and since when."""

    def admit(self, connection: socket.socket, address: str) -> bool:
        """Take it in, where all places are taken instead of one that only waits: otherwise one agent with
        silent or very slow connections would keep all others out."""
        now = time.monotonic()
        with self._lock:
            makes_room = None
            rivals = self._rivals(address)
            if rivals is not None:
                waiting = [one for one in rivals if one in self._waiting]
                makes_room = min(waiting, key=lambda one: self._waiting[one], default=None)
                if makes_room is None or now - self._waiting[makes_room] < _GRACE_S:
                    return False
                del self._waiting[makes_room]
                self._addresses[makes_room] = ""
                _cut(self._inside[makes_room], socket.SHUT_RDWR)
            self._inside[connection] = connection
            self._addresses[connection] = address
            self._waiting[connection] = now
        return True

    def _rivals(self, address: str) -> list[socket.socket] | None:
        """Of whom one has to go before another of `address` comes in; `None` where there is room."""
        if self._most_of_one is not None and address:
            own = [one for one, known in self._addresses.items() if known == address]
            if len(own) >= self._most_of_one:
                return own
        return None if len(self._inside) < self._most else list(self._inside)

    def layer(self, connection: socket.socket, over: socket.socket) -> None:
        """`over` has taken the place of `connection`'s file descriptor."""
        with self._lock:
            self._inside[connection] = over

    @contextlib.contextmanager
    def waits(self, connection: socket.socket) -> Iterator[None]:
        """While the peer is waited for. Raises `Closed` when another has got its place meanwhile."""
        with self._lock:
            self._waiting[connection] = time.monotonic()
        yield
        self.busy(connection)

    def busy(self, connection: socket.socket) -> None:
        """It is no longer waited for. Raises `Closed` as `waits`."""
        with self._lock:
            if self._waiting.pop(connection, None) is None:
                raise Closed

    def leave(self, connection: socket.socket) -> None:
        with self._lock:
            del self._inside[connection]
            del self._addresses[connection]
            self._waiting.pop(connection, None)

    def close(self, until: float) -> None:
        """Let what is under way end until then (`time.monotonic`), then cut it off."""
        with self._lock:
            left = list(self._inside.values())
        for connection in left:
            _cut(connection, socket.SHUT_RD)
        while self._inside and time.monotonic() < until:
            time.sleep(0.01)
        with self._lock:
            left = list(self._inside.values())
        for connection in left:
            _cut(connection, socket.SHUT_RDWR)


def _cut(connection: socket.socket, how: int) -> None:
    """Of the socket below: a TLS layer's own `shutdown` would go on in the clear."""
    with contextlib.suppress(OSError):
        socket.socket.shutdown(connection, how)
