"""A WebSocket that one thread reads while another writes.

TLS takes one call at a time, so the socket never blocks: a lock is held for each call, and waiting is done
outside of it. A writer that cannot go on takes in what has come: the other side may be waiting for exactly
that before it reads on (public case 128).
"""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from collections import deque
from contextlib import suppress

from hive.shells.kubernetes.frames import BadFrame, Frames, Opcode, encoded

QUIET = 15.0
"""Seconds without a byte until the other side is asked for a sign of life. Chosen."""

DEAD = 45.0
"""Seconds without a byte, in spite of having been asked, after which it is gone. Chosen."""

_STALLED = 30.0
"""Seconds that a write may make no progress. Chosen: a pod that is paused reads nothing either."""

_PIECE = 1 << 16
_WANT = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class LinkEnded(Exception):
    """No message will come any more. `was_closed`: in good order, by the other side."""

    def __init__(self, reason: str, *, was_closed: bool = False) -> None:
        super().__init__(reason)
        self.was_closed = was_closed


class Link:
    """Over a socket whose handshake is done. Binary messages both ways; pings are answered by itself.

    `last`: the first byte of a message after which the other side takes nothing any more; writers are told.
    """

    def __init__(self, sock: socket.socket, *, last: int | None = None) -> None:
        sock.setblocking(False)
        self._socket = sock
        self._io = threading.Lock()
        self._writing = threading.Lock()
        self._frames = Frames()
        self._messages: deque[bytes] = deque()
        self._pongs: deque[bytes] = deque()
        self._ended: LinkEnded | None = None
        self._last = last
        self._takes_nothing = False
        self._waiting = 0
        self._heard = self._asked = time.monotonic()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)

    def receive(self, timeout: float | None) -> bytes | None:
        """The next message; None when none came within `timeout` seconds. Raises `LinkEnded`."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._io:
                if self._messages:
                    return self._messages.popleft()
                if self._ended is None:
                    self._take_in()
                if self._messages:
                    continue
                if self._ended is not None:
                    raise self._ended
            self._answer_pings()
            left = self._patience() if end is None else min(end - time.monotonic(), self._patience())
            if end is not None and time.monotonic() >= end:
                return None
            self._wait(select.POLLIN, max(left, 0.0))

    def send(self, payload: bytes, *, end: float | None = None) -> None:
        """One message. `end` (of `time.monotonic`) bounds it. Raises `LinkEnded`."""
        self._send(encoded(Opcode.BINARY, payload), end)

    def close(self) -> None:
        """From any thread; readers and writers get `LinkEnded`. Idempotent."""
        with self._io:
            if self._ended is None:
                with suppress(OSError):
                    self._socket.send(encoded(Opcode.CLOSE, b"\x03\xe8"))
                self._ended = LinkEnded("it was let go of")
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            self._wake()
            self._let_go()

    def _send(self, frame: bytes, end: float | None) -> None:
        with self._writing:
            self._send_whole(frame, end)
            while self._pongs:
                self._send_whole(self._pongs.popleft(), end)

    def _send_whole(self, frame: bytes, end: float | None) -> None:
        rest = memoryview(frame)
        stalled = time.monotonic() + _STALLED
        while rest:
            with self._io:
                if self._ended is not None:
                    raise LinkEnded(str(self._ended), was_closed=self._ended.was_closed)
                if self._takes_nothing:
                    raise LinkEnded("the other side takes nothing any more", was_closed=True)
                sent = self._try_to_send(rest)
                if not sent:
                    self._take_in()
            rest = rest[sent:]
            now = time.monotonic()
            if sent:
                stalled = now + _STALLED
                continue
            if now > min(stalled, end or stalled):
                self._break("the other side reads no more")
                continue
            self._wait(select.POLLIN | select.POLLOUT, 0.5)

    def _try_to_send(self, rest: memoryview) -> int:
        try:
            return self._socket.send(rest)
        except _WANT:
            return 0
        except OSError as error:
            self._ended = LinkEnded(f"the connection broke off ({type(error).__name__})")
            return 0

    def _take_in(self) -> None:
        """All that has come; `_io` is held."""
        had = len(self._messages)
        try:
            while data := self._socket.recv(_PIECE):
                self._heard = time.monotonic()
                for opcode, payload in self._frames.feed(data):
                    self._take(opcode, payload)
            self._ended = self._ended or LinkEnded("the connection was closed from the other side")
        except _WANT:
            pass
        except (OSError, BadFrame) as error:
            self._ended = self._ended or LinkEnded(f"the connection broke off ({type(error).__name__})")
        if len(self._messages) > had or self._ended is not None:
            self._wake()

    def _take(self, opcode: Opcode, payload: bytes) -> None:
        if opcode is Opcode.PING:
            self._pongs.append(encoded(Opcode.PONG, payload))
        elif opcode is Opcode.CLOSE:
            self._ended = LinkEnded("the other side closed it", was_closed=True)
        elif opcode in (Opcode.BINARY, Opcode.TEXT):
            self._messages.append(payload)
            self._takes_nothing |= len(payload) > 1 and payload[0] == self._last

    def _answer_pings(self) -> None:
        """And ask for a sign of life where there was none for long."""
        now = time.monotonic()
        if now - self._heard > DEAD:
            self._break("the other side has gone silent")
            return
        ping = now - max(self._heard, self._asked) > QUIET
        if not (ping or self._pongs) or not self._writing.acquire(blocking=False):
            return  # a writer sends the pongs behind its own frame
        try:
            if ping:
                self._asked = now
                self._pongs.append(encoded(Opcode.PING, b""))
            while self._pongs:
                self._send_whole(self._pongs.popleft(), None)
        except LinkEnded:
            return
        finally:
            self._writing.release()

    def _patience(self) -> float:
        now = time.monotonic()
        return min(self._heard + DEAD, max(self._heard, self._asked) + QUIET) - now + 0.01

    def _break(self, reason: str) -> None:
        with self._io:
            self._ended = self._ended or LinkEnded(reason)

    def _wait(self, events: int, timeout: float) -> None:
        with self._io:
            if self._is_over():
                return
            self._waiting += 1
            waits = select.poll()
            waits.register(self._socket.fileno(), events)
            if not events & select.POLLOUT:
                waits.register(self._wake_in.fileno(), select.POLLIN)
        waits.poll(timeout * 1000)
        with self._io:
            self._waiting -= 1
            if not events & select.POLLOUT:
                with suppress(OSError):
                    self._wake_in.recv(_PIECE)
            if self._is_over() and not self._messages:
                self._let_go()

    def _is_over(self) -> bool:
        return self._ended is not None

    def _wake(self) -> None:
        with suppress(OSError):  # full: it is awake; closed: nobody sleeps
            self._wake_out.send(b"!")

    def _let_go(self) -> None:
        """Close the descriptors, unless a thread waits on them: their numbers could be others' by then."""
        if not self._waiting and self._ended is not None:
            for one in (self._socket, self._wake_in, self._wake_out):
                one.close()
