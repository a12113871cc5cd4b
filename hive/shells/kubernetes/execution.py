"""A command in a pod, over the channels of one WebSocket (`v5.channel.k8s.io`, else v4).

The first byte of a message says which stream it belongs to. Bytes stay bytes: a character may be cut in two
anywhere (public case 127).
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from hive.errors import Refused, Unreachable
from hive.facts.kubernetes import PODS, ExecResult, PodRef
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.failures import PORT, Request, pod_failure
from hive.shells.kubernetes.link import Link, LinkEnded
from hive.shells.kubernetes.paths import path_of
from hive.shells.kubernetes.websockets import open_link

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE, _CLOSE = 0, 1, 2, 3, 4, 255

_CHUNK = 32 * 1024 - 1
"""With the channel's byte 32 kB: what servers copy at a time."""

_GRACE = 5.0
"""Seconds that a server may take to close the connection behind the exit code. Chosen."""

_MOST = 1 << 28
"""Bytes of output that `run` keeps. Chosen."""


def open_exec(
    connection: Connection, request: Request, pod: PodRef, command: Sequence[str], *, tty: bool, stdin: bool
) -> PodExec:
    query = [("stdout", "true"), ("stdin", str(stdin).lower()), ("tty", str(tty).lower())]
    query += [] if tty else [("stderr", "true")]  # a terminal has one output
    query += [("container", pod.container)] if pod.container else []
    query += [("command", word) for word in command]
    opened = open_link(
        connection,
        request,
        Call("GET", path_of(PODS, pod.namespace, pod.name, "exec"), tuple(query)),
        (V5, V4),
    )
    return PodExec(request, opened.link, can_half_close=opened.protocol == V5)


def run_to_end(stream: PodExec, stdin: bytes, timeout: float, request: Request) -> ExecResult:
    """Feed `stdin`, gather what comes, close. Raises `Unreachable` after `timeout` seconds."""
    end = time.monotonic() + timeout
    late = Unreachable(PORT, request.says(f"the command did not end within {timeout:g} s"))
    output: dict[int, list[bytes]] = {_STDOUT: [], _STDERR: []}
    size = 0
    try:
        if stdin:
            stream.feed(stdin, end)
        while True:
            piece = stream.read(max(0.0, end - time.monotonic()))
            if piece is None:
                raise late
            if not piece[1]:
                break
            size += len(piece[1])
            if size > _MOST:
                raise Refused(PORT, request.says(f"the command wrote more than {_MOST >> 20} MB"))
            output[piece[0]].append(piece[1])
        return ExecResult(stream.exit_code() or 0, b"".join(output[_STDOUT]), b"".join(output[_STDERR]))
    finally:
        stream.close()


class PodExec:
    """See `hive.ports.kubernetes.ExecStream`."""

    def __init__(self, request: Request, link: Link, *, can_half_close: bool) -> None:
        self._request = request
        self._link = link
        self._can_half_close = can_half_close
        self._status: dict[str, Any] | None = None
        self._grace = 0.0
        self._ended = False

    def read(self, timeout: float | None = None) -> tuple[int, bytes] | None:
        end = None if timeout is None else time.monotonic() + timeout
        while not self._ended:
            try:
                message = self._link.receive(self._until(end))
            except LinkEnded as error:
                self._finish(error)
                break
            if message is None:
                if self._status is not None and time.monotonic() >= self._grace:
                    self._finish(None)
                    break
                if end is not None and time.monotonic() >= end:
                    return None
            elif len(message) > 1 and message[0] in (_STDOUT, _STDERR):
                return message[0], message[1:]
            elif len(message) > 1 and message[0] == _ERROR:
                self._take_status(message[1:])
        return _STDOUT, b""

    def write(self, data: bytes) -> None:
        self._write(data, None)

    def feed(self, data: bytes, end: float) -> None:
        """All of stdin and its end. A command that ends before it has read all of it has not failed."""
        if not self._can_half_close:
            self.close_stdin()
        try:
            self._write(data, end)
            self.close_stdin()
        except Unreachable:
            return  # reading on tells whether it ended or was lost

    def close_stdin(self) -> None:
        if not self._can_half_close:
            message = "the server is too old to end the input of a command (it speaks no v5.channel.k8s.io)"
            raise Refused(PORT, self._request.says(message))
        self._send(bytes((_CLOSE, _STDIN)), None)

    def resize(self, columns: int, rows: int) -> None:
        size = json.dumps({"Width": columns, "Height": rows}).encode()
        self._send(bytes((_RESIZE,)) + size, None)

    def exit_code(self) -> int | None:
        return _exit_code(self._status) if self._status is not None and self._ended else None

    def close(self) -> None:
        self._link.close()

    def _write(self, data: bytes, end: float | None) -> None:
        for at in range(0, len(data), _CHUNK):
            self._send(bytes((_STDIN,)) + data[at : at + _CHUNK], end)

    def _send(self, message: bytes, end: float | None) -> None:
        try:
            self._link.send(message, end=end)
        except LinkEnded as error:
            raise Unreachable(PORT, self._request.says(str(error))) from error

    def _until(self, end: float | None) -> float | None:
        ends = [one for one in (end, self._grace if self._status is not None else None) if one is not None]
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _take_status(self, data: bytes) -> None:
        try:
            status = json.loads(data)
        except ValueError:
            status = {"status": "Failure", "message": data.decode("utf-8", "replace")}
        self._status = status if isinstance(status, dict) else {"status": "Failure", "message": str(status)}
        self._grace = time.monotonic() + _GRACE

    def _finish(self, error: LinkEnded | None) -> None:
        """The connection is over: in good order if the server said how the command ended."""
        self._link.close()
        if self._status is None:
            raise Unreachable(PORT, self._request.says(str(error))) from error
        self._ended = True
        if _exit_code(self._status) is None:
            code = int(self._status.get("code") or 500)
            raise pod_failure(self._request, code, {}, json.dumps(self._status).encode(), is_answer=True)


def _exit_code(status: dict[str, Any]) -> int | None:
    """None where the command was not run at all."""
    if status.get("status") == "Success":
        return 0
    if status.get("reason") != "NonZeroExitCode":
        return None
    causes = (status.get("details") or {}).get("causes") or ()
    return next((int(one["message"]) for one in causes if one.get("reason") == "ExitCode"), None)
