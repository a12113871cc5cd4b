"""What an agent's memory is after its program was lost, and after it has proved to work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from hive.facts.events import AgentChanged
from hive.facts.memory import CRASHES_KEPT, AgentMemory

PROVEN = frozenset({"done", "asked", "refused"})
"""Outcomes of a turn by which a program proves that it works: it came to an end with its own word."""
NO_CRASH: Mapping[str, object] = {
    "crashes": 0,
    "crashed_at": None,
    "crash_times": (),
    "not_installed": False,
}


def after(known: AgentMemory, event: AgentChanged, at: datetime) -> AgentMemory:
    """`known` with one crash more; one that nobody is to blame for only makes the next start wait."""
    if event.shared:
        return replace(known, crashes=max(known.crashes, 1), crashed_at=at, not_installed=False)
    if event.not_installed:
        return replace(known, crashes=known.crashes + 1, crashed_at=at, not_installed=True)
    return counted(known, at)


def counted(known: AgentMemory, at: datetime) -> AgentMemory:
    times = (*known.crash_times, at)[-CRASHES_KEPT:]
    return replace(known, crashes=known.crashes + 1, crashed_at=at, crash_times=times, not_installed=False)
