"""The answer to a request of hive's own, read as HTTP/1.1 says and no further than it goes.

The standard library reads heads as if they were mail, which took a quarter of all time that the gateway
adds to a call (measured).
"""

from __future__ import annotations

import re
import socket

_PIECE = 65_536
_LONGEST_HEAD = 256 * 1024
_STATUS = re.compile(r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\r\n]*)?(?=\r\n|\Z)")
_FOLD = re.compile(r"\r\n[ \t]+")
_HEADER = re.compile(r"\r\n([^\s:]+):[ \t]*([^\r\n]*)(?=\r\n|\Z)")
_LENGTH = re.compile(r"[0-9]{1,15}")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_LONGEST_LINE = 4096
_UNTIL_END = -1


class BadAnswer(OSError):
    """What came is no HTTP/1.1, or broke off."""


class Answer:
    """Read from `stream`, from its first byte. Reading raises `OSError`, `BadAnswer` among them.

    Attributes:
        status: Never one of those in between (1xx).
        headers: In order, names as they were sent.
        length: Bytes of the body; None where its end shows only when it comes.
        is_over: Whether all of the body was read.
    """

    def __init__(self, stream: socket.socket, method: str) -> None:
        self._stream = stream
        self._buffer = b""
        self.status, self.headers, version = self._head()
        self._named = {name.lower(): value for name, value in self.headers}
        coding = self._named.get("transfer-encoding", "").lower()
        self._chunked = bool(coding)
        self._left = self._stated(coding) if self._has_body(method) else 0
        self._chunked = self._chunked and self._has_body(method)
        self.length = None if self._chunked or self._left == _UNTIL_END else self._left
        self.is_over = self.length == 0
        said = self._named.get("connection", "").lower()
        self._keeps = self._left != _UNTIL_END and (
            said == "keep-alive" if version == "0" else said != "close"
        )

    @property
    def keeps(self) -> bool:
        """Whether another request may follow on the connection, now that this answer was read."""
        return self._keeps and self.is_over and not self._buffer

    def header(self, name: str) -> str:
        """The last value of a header; empty where there is none."""
        return self._named.get(name.lower(), "")

    def read(self, most: int = _PIECE) -> bytes:
        """Between one and `most` bytes of the body; none at its end."""
        if self.is_over:
            return b""
        if self._chunked and self._left == 0 and not self._next_chunk():
            self.is_over = True
            return b""
        if not self._buffer:
            self._buffer = self._stream.recv(_PIECE)
            if not self._buffer:
                return self._end()
        wanted = most if self._left == _UNTIL_END else min(most, self._left)
        piece, self._buffer = self._buffer[:wanted], self._buffer[wanted:]
        if self._left != _UNTIL_END:
            self._left -= len(piece)
            self.is_over = not self._chunked and self._left == 0
            if self._chunked and self._left == 0 and self._line() != b"\r\n":
                raise BadAnswer("a chunk of the answer is longer than it says")
        return piece

    def whole(self, most: int) -> bytes:
        """All of the body. Raises `BadAnswer` where that is more than `most` bytes."""
        pieces, size = [], 0
        while piece := self.read():
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise BadAnswer(f"the answer is larger than {most} bytes")
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _head(self) -> tuple[int, tuple[tuple[str, str], ...], str]:
        while True:
            text = _FOLD.sub(" ", self._until_blank().decode("latin-1"))
            first = _STATUS.match(text)
            if first is None:
                raise BadAnswer("what answers speaks no HTTP/1.1")
            # One search for all: line by line takes several times as long.
            headers = _HEADER.findall(text, first.end())
            if len(headers) != text.count("\r\n"):
                raise BadAnswer("the answer has a header line that is none")
            if not 100 <= int(first[2]) < 200:
                return int(first[2]), tuple((name, value.rstrip(" \t")) for name, value in headers), first[1]

    def _until_blank(self) -> bytes:
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > _LONGEST_HEAD:
                raise BadAnswer("the head of the answer is too large")
            self._more()
        head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
        return head

    def _more(self) -> None:
        piece = self._stream.recv(_PIECE)
        if not piece:
            raise BadAnswer("the connection was closed before the answer was whole")
        self._buffer += piece

    def _has_body(self, method: str) -> bool:
        return method != "HEAD" and self.status not in (204, 304)

    def _stated(self, coding: str) -> int:
        if coding:
            if coding != "chunked":
                raise BadAnswer("the answer comes in a coding that was not asked for")
            return 0
        length = self._named.get("content-length")
        if length is None:
            return _UNTIL_END
        doubled = len(self._named) < len(self.headers) and any(
            name.lower() == "content-length" and value != length for name, value in self.headers
        )
        if doubled or not _LENGTH.fullmatch(length):
            raise BadAnswer("the length of the answer is in doubt")
        return int(length)

    def _next_chunk(self) -> bool:
        """Whether there is one."""
        size = _SIZE.fullmatch(self._line())
        if size is None:
            raise BadAnswer("a chunk of the answer has no length")
        self._left = int(size[1], 16)
        if self._left == 0:
            while self._line() != b"\r\n":
                pass  # trailers, which say nothing to anybody here
        return self._left > 0

    def _line(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > _LONGEST_LINE:
                raise BadAnswer("a chunk of the answer has no length")
            self._more()
        line, self._buffer = self._buffer[: end + 1], self._buffer[end + 1 :]
        return line

    def _end(self) -> bytes:
        if self._left != _UNTIL_END:
            raise BadAnswer("the connection was closed before the answer was whole")
        self.is_over = True
        return b""
