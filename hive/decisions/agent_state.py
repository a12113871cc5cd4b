"""What state an agent is in, from what was seen of it: an observation, never an echo of a wish."""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits
from hive.decisions.hook_evidence import told_by_hooks
from hive.decisions.lookup import sightings
from hive.decisions.model_standing import told_by_relay
from hive.facts.agents import AgentSighting, AgentState
from hive.facts.memory import AgentMemory
from hive.facts.screens import ScreenState
from hive.facts.work import Task, TaskState, of_start
from hive.facts.world import World

COMPOSER = frozenset({ScreenState.READY, ScreenState.FAILED, ScreenState.UNKNOWN})
"""Screens on which a prompt may stand that was typed and not taken: a draft reads as unknown. On all others
a key would answer a question, or reach nobody."""

_PUZZLED = timedelta(seconds=3)
"""A screen that nobody knows for so long is no frame caught in mid-drawing."""
_FORKING = timedelta(seconds=3)
"""So long a new session may take until its program shows among the processes."""

_IN_VAIN = 5
_IN_VAIN_WITHIN = timedelta(minutes=15)
"""A program that has made room in its conversation so often within so long made none."""

_SIGKILL = 9
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
    """The state and one line of detail; the memory's state again where nothing new can be said.

    A dead process is dead whatever it said before; of a living one its own hooks are asked before its screen.
    """
    age = now - sighting.pane.created_at
    if sighting.pane.dead:
        return _ended(sighting, memory)
    if not sighting.alive:
        if age < _FORKING:
            return AgentState.STARTING, ""
        if sighting.killed_by:
            return AgentState.CRASHED, sighting.killed_by
        return AgentState.CRASHED, "its process is gone; nothing is typed into what is left"
    if sighting.stopped:
        return AgentState.HUNG, "its process is stopped"
    if compacts_in_vain(sighting, now):
        return AgentState.CONTEXT_FULL, f"it compacted {_IN_VAIN} times within 15m and has no room still"
    kept = told_by_relay(memory.model, now)
    if kept is not None:
        return kept
    told = told_by_hooks(sighting, now)
    if told is not None:
        return told
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


def compacts_in_vain(sighting: AgentSighting, now: datetime) -> bool:
    """Whether its program goes round in compacting its conversation and going on in it."""
    return sum(now - at < _IN_VAIN_WITHIN for at in sighting.compacted) >= _IN_VAIN


def puzzled_for(world: World) -> timedelta | None:
    """How long until a screen that nobody knows has stood long enough to say so: of several the first one;
    None where there is none. It may stand still, and would then wake nobody."""
    rests = [
        _PUZZLED - (world.now - one.screen_since)
        for one in (sightings(world) or {}).values()
        if one.alive and one.screen.state is ScreenState.UNKNOWN and one.screen_since is not None
    ]
    return min((rest for rest in rests if rest > timedelta()), default=None)


def takes_no_prompt(
    task: Task, sighting: AgentSighting, memory: AgentMemory, traits: BackendTraits, now: datetime
) -> bool:
    """Whether the prompt was submitted as often as it may be and still nothing shows that it arrived."""
    submission = traits.submission
    return (
        task.state is TaskState.PROMPTED
        and task.prompted_at is not None
        and of_start(task.prompt_id) == f"{task.id}/{memory.generation}"
        and sighting.alive
        and sighting.screen.state in COMPOSER
        and presses(sighting) >= submission.tries
        and now - task.prompted_at >= submission.patience * (submission.tries + 1)
        and not any(turn.prompt_id == task.prompt_id for turn in sighting.turns or ())
    )


def presses(sighting: AgentSighting) -> int:
    """How often the prompt in the composer was submitted again."""
    return int(sighting.pane.marks.get("presses", "0") or 0)


def _ended(sighting: AgentSighting, memory: AgentMemory) -> tuple[AgentState, str]:
    pane = sighting.pane
    was_killed = pane.exit_signal == _SIGKILL or pane.exit_status == 128 + _SIGKILL
    if was_killed and sighting.killed_by:
        how = sighting.killed_by
    elif pane.exit_signal == _SIGKILL:
        how = "killed by signal 9, and not by hive"
    elif pane.exit_signal:
        how = f"ended by signal {pane.exit_signal}"
    elif pane.exit_status is not None:
        how = f"exited with status {pane.exit_status}"
    else:
        how = "ended"
    never_ready = is_not_installed(sighting) or memory.state in (
        AgentState.ABSENT,
        AgentState.STARTING,
        AgentState.FAILED_TO_START,
        AgentState.NOT_STARTED,
    )
    return (AgentState.FAILED_TO_START if never_ready else AgentState.CRASHED), how


def is_not_installed(sighting: AgentSighting | None) -> bool:
    """Whether its program could not be executed: not found (127) or not to be run (126), as env(1) says."""
    return sighting is not None and sighting.pane.dead and sighting.pane.exit_status in (126, 127)


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
