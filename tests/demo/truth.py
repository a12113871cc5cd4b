"""What hive said of each agent, held against what the agent noted of itself (the mark ``log-states``)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from hive.facts.events import AgentChanged, IntentFinished, IntentStarted, Record
from hive.facts.intents import Intent, StopAgent

_GONE = frozenset({"absent", "not-started", "starting", "crashed", "failed-to-start", "hung"})
SAYS: dict[str, frozenset[str]] = {
    "starting": frozenset({"starting", "absent", "crashed", "failed-to-start"}),
    "ready": frozenset({"ready", "paused"}),
    # What hive types itself stands there until it is submitted; a program that takes nothing is hung.
    "draft": frozenset({"ready", "failed", "paused", "blocked", "hung"}),
    "working": frozenset({"working", "hung"}),
    "hung": frozenset({"hung"}),
    "ended": _GONE,
    "failed": frozenset({"failed", "paused"}),
    **{state: frozenset({state}) for state in ("asking", "blocked", "limited", "logged-out")},
    **{state: frozenset({state}) for state in ("out-of-credit", "context-full")},
}
"""What hive may say of an agent that is really so. A turn that makes no step may be called hung."""


@dataclass(frozen=True, slots=True)
class Untruth:
    """An agent shown in a state that it was not in, for so many seconds in which a daemon was up."""

    agent: str
    really: str
    shown: str
    began: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _Moment:
    at: float
    kind: str
    state: str = ""


def untruths(
    homes: Path, records: Sequence[Record], up: Sequence[tuple[float, float]], longest: float
) -> list[Untruth]:
    """All that lasted longer than `longest` seconds of the times `up` (seconds since 1970)."""
    found = []
    for path in sorted(homes.glob("*/.scripted/states.jsonl")):
        agent = path.parent.parent.name
        moments = sorted(
            [*_noted(path.read_text().splitlines()), *_said(agent, records), *_ups(up)],
            key=lambda one: one.at,
        )
        found += [one for one in _spells(agent, moments) if one.seconds > longest]
    return found


def _noted(lines: Iterable[str]) -> Iterator[_Moment]:
    for told in map(json.loads, lines):
        yield _Moment(told["at"], "really", told["state"])


def _said(agent: str, records: Sequence[Record]) -> Iterator[_Moment]:
    stops: set[str] = set()
    for record in records:
        event, at = record.event, record.at.timestamp()
        if isinstance(event, AgentChanged) and event.agent == agent:
            yield _Moment(at, "shown", event.state)
        elif isinstance(event, IntentStarted) and _stops(event.body, agent):
            stops.add(event.intent_id)
            yield _Moment(at, "stopping")
        elif isinstance(event, IntentFinished) and event.intent_id in stops:
            # By SIGKILL, of which it can note nothing; one that was not stopped after all is as it was.
            yield _Moment(at, "stopped" if event.outcome == "done" else "spared")


def _stops(intent: Intent, agent: str) -> bool:
    return isinstance(intent, StopAgent) and intent.agent == agent


def _ups(up: Sequence[tuple[float, float]]) -> Iterator[_Moment]:
    for began, ended in up:
        yield _Moment(began, "up")
        yield _Moment(ended, "down")


def _spells(agent: str, moments: Sequence[_Moment]) -> Iterator[Untruth]:
    """Each stretch without a true word, however often the daemon was down within it."""
    really, shown, is_up, is_stopping = "ended", "absent", False, False
    spell: Untruth | None = None
    for now, then in pairwise([*moments, _Moment(moments[-1].at, "end")] if moments else []):
        match now.kind:
            case "really":
                really = now.state
            case "shown":
                shown = now.state
            case "up" | "down":
                is_up = now.kind == "up"
            case "stopped":
                really = "ended"
        if now.kind in ("stopping", "stopped", "spared"):
            is_stopping = now.kind == "stopping"
        if is_stopping or shown in SAYS[really]:
            if spell is not None:
                yield spell
            spell = None
            continue
        passed = then.at - now.at if is_up else 0.0
        if spell is None:
            spell = Untruth(agent, really, shown, now.at, passed)
        else:
            spell = Untruth(agent, really, shown, spell.began, spell.seconds + passed)
    if spell is not None:
        yield spell
