"""How states look: a glyph for those who see no colour, a tone, and what needs a person first.

Tones are names that `hive.tcss` gives colours to, so that a theme changes them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hive.facts.agents import AgentState


class Tone(StrEnum):
    PLAIN = "plain"
    ALARM = "alarm"
    """Needs a person."""
    WARN = "warn"
    BUSY = "busy"
    GOOD = "good"
    MUTED = "muted"


@dataclass(frozen=True, slots=True)
class Look:
    """`urgency` sorts: 0 needs a person, higher can wait longer."""

    glyph: str
    tone: Tone
    urgency: int


_LOOKS = {
    AgentState.ASKING: Look("?", Tone.ALARM, 0),
    AgentState.BLOCKED: Look("!", Tone.ALARM, 0),
    AgentState.LOGGED_OUT: Look("!", Tone.ALARM, 0),
    AgentState.OUT_OF_CREDIT: Look("$", Tone.ALARM, 0),
    AgentState.CRASHED: Look("✗", Tone.ALARM, 0),
    AgentState.FAILED_TO_START: Look("✗", Tone.ALARM, 0),
    AgentState.HUNG: Look("!", Tone.ALARM, 0),
    AgentState.UNSEEN: Look("?", Tone.WARN, 1),
    AgentState.FAILED: Look("✗", Tone.WARN, 1),
    AgentState.CONTEXT_FULL: Look("≡", Tone.WARN, 1),
    AgentState.LIMITED: Look("~", Tone.WARN, 2),
    AgentState.WORKING: Look("●", Tone.BUSY, 3),
    AgentState.STARTING: Look("◌", Tone.BUSY, 3),
    AgentState.READY: Look("○", Tone.GOOD, 4),
    AgentState.PAUSED: Look("‖", Tone.MUTED, 5),
    AgentState.NOT_STARTED: Look("·", Tone.MUTED, 6),
    AgentState.ABSENT: Look("·", Tone.MUTED, 6),
}
_UNKNOWN = Look("?", Tone.WARN, 1)


def look_of(state: str) -> Look:
    """The look of an agent's state; a word of a newer supervisor asks for attention."""
    try:
        return _LOOKS[AgentState(state)]
    except ValueError:
        return _UNKNOWN


def needs_a_person(state: str) -> bool:
    return look_of(state).urgency == 0


_VERDICTS = {
    "merge": Tone.GOOD,
    "merged": Tone.GOOD,
    "wait": Tone.BUSY,
    "held": Tone.WARN,
    "blocked": Tone.WARN,
    "closed": Tone.MUTED,
}


def tone_of_verdict(verdict: str) -> Tone:
    return _VERDICTS.get(verdict, Tone.PLAIN)


def ago(since: datetime | None, now: datetime) -> str:
    """How long ago, in the largest unit that fits (``41s``, ``3m``, ``2h``, ``5d``); empty for never.

    Clocks of two machines may differ: what lies ahead of `now` is ``0s``.
    """
    if since is None:
        return ""
    seconds = max(timedelta(0), now - since) // timedelta(seconds=1)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
