"""What hive is held against: the loop that tools of this kind run, one `tmux capture-pane` for each pane.

It asks once a second, knows a state by the same classifier as hive, and does nothing else.
"""

from __future__ import annotations

import resource
import subprocess
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from hive.contracts.backend import Backend

EVERY = 1.0
"""Seconds between the beginnings of two rounds."""


def wall_clock() -> float:
    """Seconds since 1970, by the clock that journals and agents write down."""
    return time.clock_gettime(time.CLOCK_REALTIME)


class PollLoop:
    """Runs in a thread of its own from `start` to `stop`.

    Attributes:
        panes: Session by agent.
        changes: What it found: agent, state and when.
        rounds: How many were run.
    """

    def __init__(self, socket: Path, panes: Mapping[str, str], backend: Backend) -> None:
        self.panes = panes
        self.changes: list[tuple[str, str, float]] = []
        self.rounds = 0
        self._socket = str(socket)
        self._backend = backend
        self._known: dict[str, str] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="poll-loop", daemon=True)

    def __enter__(self) -> PollLoop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._ended.is_set():
            self._round()
            self.rounds += 1
            due = max(due + EVERY, time.monotonic())
            self._ended.wait(due - time.monotonic())

    def _round(self) -> None:
        for agent, pane in self.panes.items():
            argv = ["tmux", "-S", self._socket, "capture-pane", "-p", "-t", f"={pane}:"]
            text = subprocess.run(argv, capture_output=True, check=False).stdout.decode(errors="replace")
            state = str(self._backend.read(text, now=datetime.fromtimestamp(wall_clock(), UTC)).state)
            if self._known.get(agent) != state:
                self._known[agent] = state
                self.changes.append((agent, state, wall_clock()))


def processor_seconds() -> float:
    """Of this process and of all children that it has waited for."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)
