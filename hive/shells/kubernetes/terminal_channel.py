"""The bytes of a control client that runs in a pod, over one exec stream."""

from __future__ import annotations

import contextlib
import threading
import time

from hive.errors import WorldError
from hive.ports.kubernetes import ExecStream
from hive.shells.tmux.channel import ChannelBroken

# So little is taken by the sockets on the way at once: hive waits for the answer before it sends more.
_AT_ONCE = 16 * 1024
# Seconds after which a reader looks whether it is still wanted, should closing the stream not wake it.
_TURN = 1.0
_KEPT = 2_000


class StreamChannel:
    """`Channel` to a client at the other end of an exec stream. Letting go of it ends the client's input;
    the client itself may stay for a while, and what was written may still be on its way to it."""

    def __init__(self, stream: ExecStream) -> None:
        self._stream = stream
        self._ended = threading.Event()
        self._stderr = b""

    def read(self) -> bytes:
        while not self._ended.is_set():
            piece = self._stream.read(_TURN)
            if piece is None:
                continue
            number, data = piece
            if number == 1:
                return data
            self._stderr = (self._stderr + data)[-_KEPT:]
        return b""

    def write(self, data: bytes, deadline: float) -> None:
        if self._ended.is_set():
            raise ChannelBroken(untouched=True)
        if len(data) <= _AT_ONCE:
            failure = self._send(data)
        else:
            failure = self._send_beside(data, deadline)
        if failure:
            raise ChannelBroken(failure)

    def _send_beside(self, data: bytes, deadline: float) -> str:
        """Send from another thread, since a write to a stream has no deadline of its own."""
        failures: list[str] = []
        sender = threading.Thread(target=lambda: failures.append(self._send(data)), daemon=True)
        sender.start()
        sender.join(max(0.0, deadline - time.monotonic()))
        return failures[0] if failures else "the exec stream took no more input"

    def _send(self, data: bytes) -> str:
        """Why it failed; empty when all is sent."""
        try:
            self._stream.write(data)
        except (WorldError, OSError) as error:
            return f"the exec stream broke: {error}"
        return ""

    def last_words(self) -> str:
        words = "; ".join(self._stderr.decode("utf-8", "replace").split("\n")).strip("; ")
        try:
            code = self._stream.exit_code()
        except (WorldError, OSError):
            code = None
        if code is not None and code != 0:
            words = f"exit code {code}: {words}" if words else f"exit code {code}"
        return f"tmux in the pod ended: {words}" if words else ""

    def end(self) -> None:
        self._ended.set()
        with contextlib.suppress(WorldError, OSError):
            self._stream.close()

    def release(self) -> None:
        self.end()
