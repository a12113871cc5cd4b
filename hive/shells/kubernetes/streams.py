"""Answers that go on until somebody ends them, line by line: watches and followed logs."""

from __future__ import annotations

import socket
import time
from collections.abc import Generator, Iterator
from contextlib import suppress

import urllib3

from hive.errors import Unreachable
from hive.shells.kubernetes.connection import socket_of
from hive.shells.kubernetes.failures import PORT, Request, broken_connection

_PIECE = 1 << 16


class Lines:
    """The lines of one answer, without their ends. One thread reads; any thread may close.

    `deadline`: seconds until the server should long have ended the answer; one that drips bytes without ever
    finishing is as dead as one that is silent.
    """

    def __init__(
        self,
        request: Request,
        response: urllib3.BaseHTTPResponse,
        deadline: float | None = None,
        *,
        keep_empty: bool = False,
    ) -> None:
        self._keep_empty = keep_empty
        self._request = request
        self._response = response
        self._end = None if deadline is None else time.monotonic() + deadline
        self._closed = False
        self._lines = self._read()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._lines)

    def close(self) -> None:
        """Ends the iteration, also one that waits in another thread. Idempotent."""
        self._closed = True
        held = socket_of(self._response)
        if held is not None:
            with suppress(OSError):
                # Not the TLS object's own method: it would drop what a reader is using at this moment.
                socket.socket.shutdown(held, socket.SHUT_RDWR)
        with suppress(ValueError):  # a reader is at it: it wakes, and closes the answer itself
            self._lines.close()
            self._response.close()

    def _read(self) -> Generator[bytes, None, None]:
        rest = b""
        try:
            for piece in self._response.stream(_PIECE, decode_content=False):
                *whole, rest = (rest + piece).split(b"\n")
                yield from (line for line in whole if line or self._keep_empty)
                if self._closed:
                    return
                if self._end is not None and time.monotonic() > self._end:
                    raise Unreachable(PORT, self._request.says("the server does not come to an end"))
            if rest:
                yield rest
        except (urllib3.exceptions.HTTPError, OSError) as error:
            if not self._closed:
                raise broken_connection(self._request, error) from error
        finally:
            self._response.close()
