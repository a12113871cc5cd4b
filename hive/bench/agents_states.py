"""Changes of state as the scripted agents noted them, and when others knew of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hive.facts.events import AgentChanged
from hive.shells.sqlite import SqliteJournal

_KNOWN = ("ready", "working")
"""States that the benchmark itself brings about."""
_BEFORE = 0.05
"""Seconds by which something may be known before the agent notes it: it draws first."""


@dataclass(frozen=True, slots=True)
class Change:
    """`at`: seconds since 1970."""

    agent: str
    state: str
    at: float


def changes_of(homes: Path, since: float) -> list[Change]:
    """What agents whose homes lie in `homes` noted since then, in order."""
    found = []
    for path in homes.glob("*/.scripted/states.jsonl"):
        agent = path.parent.parent.name
        for line in path.read_text().splitlines():
            told = json.loads(line)
            if told["at"] >= since and told["state"] in _KNOWN:
                found.append(Change(agent, told["state"], told["at"]))
    return sorted(found, key=lambda one: one.at)


def state_now(homes: Path, agent: str) -> str:
    """The last that it noted; empty where it noted nothing."""
    try:
        lines = (homes / agent / ".scripted" / "states.jsonl").read_text().splitlines()
    except OSError:
        return ""
    return str(json.loads(lines[-1])["state"]) if lines else ""


def journalled(journal: Path, since: float) -> list[Change]:
    reader = SqliteJournal(journal, read_only=True)
    try:
        return [
            Change(record.event.agent, record.event.state, record.at.timestamp())
            for record in reader.records()
            if isinstance(record.event, AgentChanged) and record.at.timestamp() >= since
        ]
    finally:
        reader.close()


def latencies(true: Iterable[Change], known: Iterable[Change]) -> tuple[list[float], int]:
    """Seconds from each change to its being known, and how many were not known before the next one."""
    by_agent: dict[str, list[Change]] = {}
    for change in true:
        by_agent.setdefault(change.agent, []).append(change)
    heard: dict[str, list[Change]] = {}
    for change in known:
        heard.setdefault(change.agent, []).append(change)
    delays, missed = [], 0
    for agent, changes in by_agent.items():
        for index, change in enumerate(changes):
            until = changes[index + 1].at if index + 1 < len(changes) else float("inf")
            first = next(
                (
                    one.at
                    for one in heard.get(agent, ())
                    if one.state == change.state and change.at - _BEFORE <= one.at < until
                ),
                None,
            )
            if first is None:
                missed += 1
            else:
                delays.append(max(0.0, first - change.at))
    return delays, missed
