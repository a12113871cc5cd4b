"""TLS over a connection that is no plain socket: a tunnel to the forge within a pod's TLS to hive.

The ssl module speaks TLS on a socket's file descriptor alone, so the inner one is fed from memory.
"""

from __future__ import annotations

import ssl
import time

from hive.gateway.wire import Stream

_PIECE = 65_536


class NestedTls:
    """The server's side; a `Stream`. One thread at a time."""

    def __init__(self, outer: Stream, context: ssl.SSLContext) -> None:
        self._outer = outer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def do_handshake(self, within: float) -> None:
        """Raises `OSError` (`ssl.SSLError`, `TimeoutError`) where it fails or takes over `within` seconds."""
        until = time.monotonic() + within
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                left = until - time.monotonic()
                if left <= 0:
                    raise TimeoutError("the handshake took too long") from None
                self._outer.settimeout(left)
                self._fill()
            else:
                self._flush()
                return

    def settimeout(self, value: float | None, /) -> None:
        self._outer.settimeout(value)

    def recv(self, most: int, /) -> bytes:
        """As of a socket: at least one byte, or none at the end."""
        while True:
            try:
                return self._tls.read(most)
            except ssl.SSLWantReadError:
                self._flush()
                self._fill()
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return b""

    def sendall(self, data: bytes, /) -> None:
        view = memoryview(data)
        while view:
            # In pieces: what is encrypted waits in memory until the outer connection has taken it.
            written = self._tls.write(view[:_PIECE])
            view = view[written:]
            self._flush()

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._outer.sendall(self._outgoing.read())

    def _fill(self) -> None:
        piece = self._outer.recv(_PIECE)
        if piece:
            self._incoming.write(piece)
        else:
            self._incoming.write_eof()
