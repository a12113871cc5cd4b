"""When the word of an agent's own hooks goes before its screen, and when the screen is the newer witness."""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.facts.agents import AgentSighting, AgentState
from hive.facts.hooks import HookState
from hive.facts.screens import ScreenState

_RESTING = timedelta(seconds=30)
"""A program that was interrupted says nothing by its hooks; its screen then rests for longer than any was
seen to rest within a turn."""
_REDRAWING = timedelta(seconds=5)
"""A program says that its turn is over before it draws that."""
_SAME = timedelta(seconds=1)
"""Of two witnesses so close in time neither is the newer: they have clocks of their own."""

_TROUBLE = frozenset(
    {
        ScreenState.LIMITED,
        ScreenState.OUT_OF_CREDIT,
        ScreenState.CONTEXT_FULL,
        ScreenState.LOGGED_OUT,
        ScreenState.FAILED,
    }
)


def told_by_hooks(sighting: AgentSighting, now: datetime) -> tuple[AgentState, str] | None:
    """The state by the hooks of a living program; None where its screen decides.

    Words of an earlier start count for nothing.
    """
    hooks = sighting.hooks
    # tmux gives whole seconds of a session's start.
    if hooks is None or hooks.at < sighting.pane.created_at:
        return None
    since = sighting.screen_since or now
    screen = sighting.screen.state
    is_newer = hooks.at - since > _SAME
    age = now - hooks.at
    match hooks.state:
        case HookState.WORKING:
            if screen is ScreenState.READY and now - max(hooks.at, since) < _RESTING:
                return AgentState.WORKING, ""
            if screen in _TROUBLE and is_newer:
                return AgentState.WORKING, ""
            if screen is ScreenState.UNKNOWN and is_newer and age < _RESTING:
                return AgentState.WORKING, ""
        case HookState.ASKING:
            if screen is ScreenState.UNKNOWN:
                return AgentState.ASKING, hooks.detail
        case HookState.FINISHED:
            if screen is ScreenState.WORKING and is_newer and age < _REDRAWING:
                return AgentState.READY, ""
        case HookState.FAILED:
            if screen is ScreenState.READY:
                return AgentState.FAILED, hooks.detail
        case HookState.STARTED | HookState.CLOSED:
            pass
    return None
