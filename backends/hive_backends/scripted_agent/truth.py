"""What state the program really is in, over time: what a supervisor says of it is held against this.

Kept only where the mark ``log-states`` asks for it: ``$HOME/.scripted/states.jsonl``, one line for each
change, ``{"at": SECONDS, "state": NAME}`` with the clock of the system. A state that ends the program is
written before it does.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hive_backends.scripted_agent.program import Program

_BANNERS = (
    ("■ Usage limit", "limited"),
    ("✗ Not logged in", "logged-out"),
    ("✗ Credit balance", "out-of-credit"),
    ("✗ Context is full", "context-full"),
    ("✗ Turn ", "failed"),
)


class StateLog:
    """Appends; one `write` for each line. Does nothing at all where it is not `kept`."""

    def __init__(self, home: str, *, kept: bool) -> None:
        self._descriptor = -1
        self._last = ""
        if kept:
            path = os.path.join(home, ".scripted", "states.jsonl")
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._descriptor = os.open(path, flags, 0o600)

    def note(self, state: str) -> None:
        if self._descriptor < 0 or state == self._last:
            return
        self._last = state
        at = round(time.clock_gettime(time.CLOCK_REALTIME), 4)
        os.write(self._descriptor, json.dumps({"at": at, "state": state}).encode() + b"\n")


def state_of(program: Program) -> str:
    """In the words of hive's journal, and ``draft``: something stands in the composer."""
    activity = program.activity
    if program.exit_status is not None:
        return "ended"
    box = program.box or (activity.box if activity is not None else None)
    if box is not None:
        return "blocked" if box.strange else "asking"
    if program.starting:
        return "starting"
    if activity is not None:
        return "working"
    for beginning, state in _BANNERS:
        if program.status.startswith(beginning):
            return state
    return "ready" if program.composer.is_empty else "draft"
