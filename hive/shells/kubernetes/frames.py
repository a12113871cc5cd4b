"""WebSocket messages out of bytes (RFC 6455), and into them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum

from websocket import ABNF

LARGEST = 1 << 26
"""Bytes of one message. Chosen: servers send 32 kB; more than this is no API server."""


class Opcode(IntEnum):
    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


_KNOWN = frozenset(int(one) for one in Opcode)


class BadFrame(Exception):
    """What came is no WebSocket."""


def encoded(opcode: Opcode, payload: bytes) -> bytes:
    """One frame of a client, masked as such must be."""
    return bytes(ABNF.create_frame(payload, int(opcode)).format())


class Frames:
    """Feed it bytes as they come; it gives whole messages, with fragments joined."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._opcode = Opcode.BINARY
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[tuple[Opcode, bytes]]:
        """Raises `BadFrame`."""
        self._bytes += data
        at = 0
        while (found := self._frame(at)) is not None:
            final, opcode, start, at = found
            payload = bytes(self._bytes[start:at])
            if opcode >= Opcode.CLOSE:
                yield opcode, payload
                continue
            if opcode is not Opcode.CONTINUATION:
                self._opcode, self._parts = opcode, []
            self._parts.append(payload)
            if sum(map(len, self._parts)) > LARGEST:
                raise BadFrame("a message is too long")
            if final:
                whole, self._parts = b"".join(self._parts), []
                yield self._opcode, whole
        del self._bytes[:at]

    def _frame(self, at: int) -> tuple[bool, Opcode, int, int] | None:
        """Whether it is a message's last, what it is, where its payload starts and ends; None for not yet."""
        if len(self._bytes) < at + 2:
            return None
        first, second = self._bytes[at], self._bytes[at + 1]
        size, start = second & 0x7F, at + 2
        if second & 0x80 or first & 0x70 or (first & 0x0F) not in _KNOWN:
            raise BadFrame("a frame is none of a server's")
        if size > 125:
            width = 2 if size == 126 else 8
            start += width
            if len(self._bytes) < start:
                return None
            size = int.from_bytes(self._bytes[start - width : start], "big")
        if size > LARGEST:
            raise BadFrame("a frame is too long")
        if len(self._bytes) < start + size:
            return None
        return bool(first & 0x80), Opcode(first & 0x0F), start, start + size
