"""What state an agent is in, from what was seen of it: an observation, never an echo of a wish."""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits
from hive.facts.agents import AgentSighting, AgentState
from hive.facts.memory import AgentMemory
from hive.facts.screens import ScreenState

_PUZZLED = timedelta(seconds=5)
"""A screen that nobody knows for so long is no frame caught in mid-drawing."""
_FORKING = timedelta(seconds=3)
"""So long a new session may take until its program shows among the processes."""

_BUSY = frozenset({ScreenState.READY, ScreenState.WORKING})
_STATES = {
    ScreenState.READY: AgentState.READY,
    ScreenState.WORKING: AgentState.WORKING,
    ScreenState.RETRYING: AgentState.WORKING,
    ScreenState.COMPACTING: AgentState.WORKING,
    ScreenState.ASKING: AgentState.ASKING,
    ScreenState.LOGGED_OUT: AgentState.LOGGED_OUT,
    ScreenState.LIMITED: AgentState.LIMITED,
    ScreenState.OUT_OF_CREDIT: AgentState.OUT_OF_CREDIT,
    ScreenState.CONTEXT_FULL: AgentState.CONTEXT_FULL,
    ScreenState.FAILED: AgentState.FAILED,
}


def observed_state(
    sighting: AgentSighting, memory: AgentMemory, traits: BackendTraits, now: datetime
) -> tuple[AgentState, str]:
    """The state and one line of detail; the memory's state again where nothing new can be said."""
    age = now - sighting.pane.created_at
    if sighting.pane.dead:
        return _ended(sighting, memory)
    if not sighting.alive:
        if age < _FORKING:
            return AgentState.STARTING, ""
        return AgentState.CRASHED, "its process is gone; nothing is typed into what is left"
    screen = sighting.screen
    if screen.state is ScreenState.STARTING:
        if age < traits.start_patience:
            return AgentState.STARTING, screen.detail
        return AgentState.FAILED_TO_START, f"no prompt within {_seconds(traits.start_patience)} s"
    if screen.state in _STATES:
        # A detail that counts seconds would make a change of every look.
        detail = "" if screen.state in _BUSY else screen.detail
        return _STATES[screen.state], detail
    return _unknown(sighting, memory, now)


def _ended(sighting: AgentSighting, memory: AgentMemory) -> tuple[AgentState, str]:
    pane = sighting.pane
    if pane.exit_signal:
        how = f"ended by signal {pane.exit_signal}"
    elif pane.exit_status is not None:
        how = f"exited with status {pane.exit_status}"
    else:
        how = "ended"
    never_ready = memory.state in (
        AgentState.ABSENT,
        AgentState.STARTING,
        AgentState.FAILED_TO_START,
        AgentState.NOT_STARTED,
    )
    return (AgentState.FAILED_TO_START if never_ready else AgentState.CRASHED), how


def _unknown(sighting: AgentSighting, memory: AgentMemory, now: datetime) -> tuple[AgentState, str]:
    since = sighting.screen_since
    if since is not None and now - since >= _PUZZLED:
        return AgentState.BLOCKED, sighting.screen.detail or "a screen that nobody knows"
    known = memory.state if memory.state in AgentState.__members__.values() else AgentState.STARTING
    if known in (AgentState.CRASHED, AgentState.ABSENT, AgentState.FAILED_TO_START):
        known = AgentState.STARTING
    return AgentState(known), memory.detail if memory.state == known else ""


def _seconds(span: timedelta) -> int:
    return int(span.total_seconds())
