"""Ends everything that runs in a pane, also what has left its process tree.

Found are: descendants of the pane's process, processes of its terminal session, and processes that still
carry the pane's ``TMUX`` entry in the environment they were started with (a daemon that forked twice and
called setsid does). Not found is a process that did all of that and was started with a cleaned environment.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from hive.shells.system.processes import Entry, children_of, descendants, environment_of, process_table


@dataclass(frozen=True, slots=True)
class Pane:
    """What is needed to find the processes of a pane.

    Attributes:
        pid: Its first process; 0 where that has ended (the number may be another's by now).
        server: Pid of the tmux server, which is never touched.
        tmux: The value of ``TMUX`` in its environment.
    """

    pid: int
    server: int
    tmux: str


class Sight(Protocol):
    """The processes beside a tmux server, and a hand on them.

    Attributes:
        pause: Seconds between two looks.
        spared: Pids that are never touched.
    """

    @property
    def pause(self) -> float: ...

    @property
    def spared(self) -> frozenset[int]: ...

    def table(self) -> Mapping[int, Entry]:
        """All processes but zombies."""
        ...

    def started_in(self, tmux: str, pids: Iterable[int]) -> frozenset[int]:
        """Those of `pids` that were started with this value of ``TMUX``."""
        ...

    def send(self, pids: Iterable[int], *signals: signal.Signals) -> None:
        """Send each of `signals` to all of `pids`; those that are gone do not matter."""
        ...


class ProcSight:
    """`Sight` of this machine, from /proc."""

    pause = 0.02

    @property
    def spared(self) -> frozenset[int]:
        return frozenset({os.getpid()})

    def table(self) -> Mapping[int, Entry]:
        return process_table()

    def started_in(self, tmux: str, pids: Iterable[int]) -> frozenset[int]:
        entry = f"TMUX={tmux}".encode()
        return frozenset(pid for pid in pids if entry in environment_of(pid))

    def send(self, pids: Iterable[int], *signals: signal.Signals) -> None:
        for pid in pids:
            for number in signals:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)


def end_processes(pane: Pane, sight: Sight, *, grace: float, patience: float) -> tuple[int, ...]:
    """Ask all processes of `pane` to end, kill what is left after `grace` seconds, and return the pids
    that were still there `patience` seconds later (none, but for processes stuck in the kernel)."""
    known: dict[int, int] = {}
    asked: set[int] = set()
    start = time.monotonic()
    while _gather(pane, sight, known):
        age = time.monotonic() - start
        if age > grace + patience:
            return tuple(known)
        if age > grace:
            sight.send(known, signal.SIGKILL)
        elif unasked := known.keys() - asked:
            asked |= unasked
            # A stopped process takes no other signal.
            sight.send(unasked, signal.SIGTERM, signal.SIGCONT)
        time.sleep(sight.pause)
    return ()


def _gather(pane: Pane, sight: Sight, known: dict[int, int]) -> bool:
    """Bring `known` (pid: start) up to date; whether any is left."""
    table = sight.table()
    children = children_of(table)
    roots = {pid for pid, started in known.items() if pid in table and table[pid].started == started}
    if pane.pid:
        roots |= {pid for pid, process in table.items() if pane.pid in (pid, process.session)}
    roots |= sight.started_in(pane.tmux, table.keys() - roots)
    known.clear()
    for root in roots:
        for pid in descendants(root, children):
            known[pid] = table[pid].started
    for spared in (pane.server, *sight.spared):
        known.pop(spared, None)
    return bool(known)
