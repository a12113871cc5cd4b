"""`hive attach` to an agent in a pod: this terminal and the pod's are one."""

from __future__ import annotations

import os
import pty
import queue
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from hive.cli.attach_pod import converse


class Pod:
    """A stream that ends when it was told to, and notes what it was given."""

    def __init__(self) -> None:
        self.output: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.typed = b""
        self.sizes: list[tuple[int, int]] = []

    def read(self, timeout: float | None = None) -> tuple[int, bytes] | None:
        try:
            return 1, self.output.get(timeout=timeout)
        except queue.Empty:
            return None

    def write(self, data: bytes) -> None:
        self.typed += data
        self.output.put(b"" if data.endswith(b"q") else data.upper())

    def close_stdin(self) -> None:
        """Nothing to do."""

    def resize(self, columns: int, rows: int) -> None:
        self.sizes.append((columns, rows))

    def exit_code(self) -> int | None:
        return 7

    def close(self) -> None:
        """Nothing to do."""


class End:
    """One end of a terminal, as `sys.stdin` and `sys.stdout` are."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal that is this process's; gives the side of the keyboard and the screen."""
    person, ours = pty.openpty()
    monkeypatch.setattr(sys, "stdin", End(ours))
    monkeypatch.setattr(sys, "stdout", End(ours))
    try:
        yield person
    finally:
        os.close(ours)
        os.close(person)


def until(ask: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not ask():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def test_keys_go_to_the_pod_and_its_screen_comes_back_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    pod = Pod()
    with terminal(monkeypatch) as person:
        before = termios.tcgetattr(sys.stdin.fileno())
        shown = b""

        def play() -> None:
            nonlocal shown
            until(lambda: bool(pod.sizes))
            os.write(person, "\x03é".encode())
            while "é".encode() not in shown:
                shown += os.read(person, 4096)
            os.kill(os.getpid(), signal.SIGWINCH)
            until(lambda: len(pod.sizes) > 1)
            os.write(person, b"q")

        player = threading.Thread(target=play, daemon=True)
        player.start()
        assert converse(pod) == 7
        player.join(20)
        # Control characters are the pod's: a key that would interrupt here only arrives there.
        assert pod.typed == "\x03éq".encode()
        assert len(pod.sizes) == 2
        assert termios.tcgetattr(sys.stdin.fileno()) == before
