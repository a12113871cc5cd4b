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
from dataclasses import dataclass

from hive.shells.system.processes import children_of, descendants, environment_of, process_table

_PAUSE = 0.02


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


def end_processes(pane: Pane, *, grace: float, patience: float) -> tuple[int, ...]:
    """Ask all processes of `pane` to end, kill what is left after `grace` seconds, and return the pids
    that were still there `patience` seconds later (none, but for processes stuck in the kernel)."""
    known: dict[int, int] = {}
    asked: set[int] = set()
    start = time.monotonic()
    while _gather(pane, known):
        age = time.monotonic() - start
        if age > grace + patience:
            return tuple(known)
        for pid in known:
            if age > grace:
                _signal(pid, signal.SIGKILL)
            elif pid not in asked:
                asked.add(pid)
                _signal(pid, signal.SIGTERM)
                _signal(pid, signal.SIGCONT)  # a stopped process takes no other signal
        time.sleep(_PAUSE)
    return ()


def _gather(pane: Pane, known: dict[int, int]) -> bool:
    """Bring `known` (pid: start) up to date; whether any is left."""
    table = process_table()
    children = children_of(table)
    entry = f"TMUX={pane.tmux}".encode()
    roots = {pid for pid, started in known.items() if pid in table and table[pid].started == started}
    for pid, process in table.items():
        in_session = pane.pid != 0 and pane.pid in (pid, process.session)
        if in_session or (pid not in roots and entry in environment_of(pid)):
            roots.add(pid)
    known.clear()
    for root in roots:
        for pid in descendants(root, children):
            known[pid] = table[pid].started
    for spared in (pane.server, os.getpid()):
        known.pop(spared, None)
    return bool(known)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
