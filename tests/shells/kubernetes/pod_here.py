"""A pod that is this machine: its exec streams are processes here, and a test may cut them anywhere."""

from __future__ import annotations

import contextlib
import os
import random
import select
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hive.errors import Missing, Refused, Unreachable

PORT = "kubernetes"


@dataclass(frozen=True)
class Fate:
    """What will become of a stream.

    Attributes:
        sent, received: Bytes after which it breaks; None for never.
        late: Seconds after which the rest of what was written when it broke still arrives, as from buffers
            on the way; None when it is lost.
        linger: Seconds for which the command's pipes stay open after that.
    """

    sent: int | None = None
    received: int | None = None
    late: float | None = None
    linger: float = 0.0


class StreamHere:
    """`ports.kubernetes.ExecStream` to a process of this machine."""

    def __init__(self, command: Sequence[str], fate: Fate, silent: Callable[[], bool]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in, self._out, self._err = self._process.stdin, self._process.stdout, self._process.stderr
        self._fate = fate
        self._silent = silent
        self._sent = self._received = 0
        self._broken = threading.Event()
        self._let_go = threading.Lock()
        self._reading = threading.Lock()
        self._ends: threading.Thread | None = None

    def read(self, timeout: float | None = None) -> tuple[int, bytes] | None:
        end = time.monotonic() + (3600 if timeout is None else timeout)
        while time.monotonic() < end:
            with self._reading:
                self._alive()
                piece = self._piece()
            if piece is not None:
                return piece
        return None

    def _piece(self) -> tuple[int, bytes] | None:
        ready = select.select([self._out, self._err], [], [], 0.02)[0]
        if not ready or self._silent():
            return None
        if self._err in ready and (data := os.read(self._err.fileno(), 1 << 14)):
            return 2, data
        if self._out not in ready:
            return None
        data = os.read(self._out.fileno(), 1 << 14)
        if not data:
            self._process.wait(5)
        return 1, self._within(data)

    def _within(self, data: bytes) -> bytes:
        if self._fate.received is None:
            return data
        left = self._fate.received - self._received
        self._received += len(data)
        if len(data) >= left:
            self.cut()
        if left <= 0:
            self._alive()
        return data[:left]

    def write(self, data: bytes) -> None:
        self._alive()
        left = len(data) if self._fate.sent is None else max(0, self._fate.sent - self._sent)
        self._sent += len(data)
        if not self._silent():
            self._pass_on(data[:left])
        if left < len(data):
            self.cut(data[left:])

    def _pass_on(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._in.fileno(), view) :]
            except OSError as error:
                raise Unreachable(PORT, f"the command takes no input: {error}") from error

    @property
    def is_broken(self) -> bool:
        return self._broken.is_set()

    def _alive(self) -> None:
        if self._broken.is_set():
            raise Unreachable(PORT, "the stream was cut")

    def cut(self, rest: bytes = b"") -> None:
        """Break the stream; `rest` is on its way."""
        with self._let_go:
            if not self._broken.is_set():
                self._broken.set()
                self._ends = threading.Thread(target=self._end, args=(rest,), daemon=True)
                self._ends.start()

    def _end(self, rest: bytes) -> None:
        if self._fate.late is not None:
            time.sleep(self._fate.late)
            with contextlib.suppress(Unreachable):
                self._pass_on(rest)
        time.sleep(self._fate.linger)
        with self._reading:
            for pipe in (self._in, self._out, self._err):
                pipe.close()

    def close_stdin(self) -> None:
        raise Refused(PORT, "not spoken here")

    def resize(self, columns: int, rows: int) -> None:
        raise Refused(PORT, "no terminal was asked for")

    def exit_code(self) -> int | None:
        return self._process.poll()

    def close(self) -> None:
        self.cut()

    def destroy(self) -> None:
        """End the process too."""
        self.cut()
        assert self._ends is not None
        self._ends.join(10)
        self._process.kill()
        self._process.wait(10)


class PodHere:
    """Attributes:
    socket: Of its tmux server.
    fates: Asked for the fate of each new stream.
    gone: It is not there any more.
    away: Nothing answers.
    silent: Streams stand, and carry nothing.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.socket = folder / "tmux.sock"
        self.fates: Callable[[], Fate] = Fate
        self.gone = False
        self.away = False
        self.silent = False
        self.streams: list[StreamHere] = []

    def open(self, command: Sequence[str]) -> StreamHere:
        if self.gone:
            raise Missing(PORT, 'pods "agent" not found')
        if self.away:
            raise Unreachable(PORT, "connection refused")
        stream = StreamHere(command, self.fates(), lambda: self.silent)
        self.streams.append(stream)
        return stream

    def cut(self) -> None:
        """Break the newest stream."""
        self.streams[-1].cut()

    def close(self) -> None:
        subprocess.run(["tmux", "-S", str(self.socket), "kill-server"], capture_output=True, check=False)
        for stream in self.streams:
            stream.destroy()


def random_fates(dice: random.Random) -> Callable[[], Fate]:
    """Streams that break anywhere: while they are made, in the middle of a word, before an answer."""

    def fate() -> Fate:
        way = dice.choice(["sent", "received", "both"])
        return Fate(
            sent=dice.randint(0, 8_000) if way != "received" else None,
            received=dice.randint(0, 8_000) if way != "sent" else None,
            late=dice.choice([None, 0.0, 0.01, 0.1]),
            linger=dice.choice([0.0, 0.05, 0.3]),
        )

    return fate
