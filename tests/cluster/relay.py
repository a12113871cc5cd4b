"""A TCP relay that can misbehave: the network between hive and a server, as bad as a test wants it.

It forwards bytes and knows nothing of what they mean, so TLS passes through it untouched.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

_CHUNK = 65536
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER on and zero: closing sends RST instead of FIN (socket(7))."""
_GLANCE = 0.2
"""Seconds between two looks at whether a connection was cut, for a thread that nothing else wakes."""


class Relay:
    """Listens on `address` (`port` 0: a free one) and forwards each connection to `target`.

    One of three moods: `heal()` forwards (as it begins), `silence()` keeps every connection open and moves no
    byte, `refuse()` takes no new one. `cut()` breaks the present connections at once, in any mood.
    """

    def __init__(self, target: tuple[str, int], address: str = "127.0.0.1", port: int = 0) -> None:
        self.target = target
        self._lock = threading.Lock()
        self._pairs: set[_Pair] = set()
        self._heard = threading.Event()
        self._heard.set()
        self.accepted = 0
        self._listener: socket.socket | None = None
        self.address, self.port = self._listen(address, port)

    def url(self, scheme: str = "https") -> str:
        return f"{scheme}://{self.address}:{self.port}"

    @property
    def connections(self) -> int:
        """How many are open now."""
        with self._lock:
            return len(self._pairs)

    def cut(self) -> int:
        """Break every connection with a reset, as when a machine in between dies; returns how many."""
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            pair.reset()
        return len(pairs)

    def silence(self) -> None:
        """Move no more bytes, and say nothing about it: no FIN, no RST. New connections open."""
        self._heard.clear()

    def refuse(self) -> None:
        """Close the listening socket: who connects from now on is refused. Present connections stay."""
        if self._listener is not None:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None

    def heal(self) -> None:
        """Forward again: bytes that silence held back arrive now, and new connections are taken."""
        self._heard.set()
        if self._listener is None:
            self._listen(self.address, self.port)

    def close(self) -> None:
        self.refuse()
        self._heard.set()
        self.cut()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _listen(self, address: str, port: int) -> tuple[str, int]:
        listener = socket.create_server((address, port), backlog=64)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True, name="relay").start()
        bound: tuple[str, int] = listener.getsockname()[:2]
        return bound

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._serve, args=(near,), daemon=True, name="relayed").start()

    def _serve(self, near: socket.socket) -> None:
        self._heard.wait()
        try:
            far = socket.create_connection(self.target, timeout=10)
        except OSError:
            near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            near.close()
            return
        pair = _Pair(near, far)
        with self._lock:
            self._pairs.add(pair)
        try:
            pair.forward(self._heard)
        finally:
            with self._lock:
                self._pairs.discard(pair)


class _Pair:
    """Two connected sockets, and a thread for each direction: one that stalls must not stall the other."""

    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        self._sockets = (near, far)
        self._broken = threading.Event()
        for each in self._sockets:
            each.settimeout(_GLANCE)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def forward(self, heard: threading.Event) -> None:
        """Until both sides have finished or one breaks; a side that only finished sending is half-closed."""
        near, far = self._sockets
        back = threading.Thread(target=self._pump, args=(far, near, heard), daemon=True, name="relayed-back")
        back.start()
        self._pump(near, far, heard)
        back.join()
        for each in self._sockets:
            each.close()

    def reset(self) -> None:
        self._broken.set()
        for each in self._sockets:
            with suppress(OSError):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            with suppress(OSError):
                each.shutdown(socket.SHUT_RD)  # wakes who reads; closing then sends the reset

    def _pump(self, source: socket.socket, sink: socket.socket, heard: threading.Event) -> None:
        try:
            while not self._broken.is_set():
                with suppress(TimeoutError):
                    chunk = source.recv(_CHUNK)
                    while not self._broken.is_set() and not heard.wait(_GLANCE):
                        pass
                    if self._broken.is_set():
                        return
                    if not chunk:
                        sink.shutdown(socket.SHUT_WR)
                        return
                    self._send(sink, chunk)
        except OSError:
            self.reset()

    def _send(self, sink: socket.socket, chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest and not self._broken.is_set():
            with suppress(TimeoutError):
                rest = rest[sink.send(rest) :]
