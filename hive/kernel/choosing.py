"""Taking an option of a box: key by key, and the screen is read again before each.

Nothing is typed blindly: where another box stands there, or the wanted option is gone, no key is pressed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

from hive.contracts.backend import Backend
from hive.decisions.dialogs import box_of, next_key
from hive.errors import Moved, Refused
from hive.facts.screens import Screen
from hive.kernel.lane import Lane
from hive.kernel.look_at_agents import AgentWatcher

_DEADLINE = 10.0
_REDRAWN = 0.2
"""Seconds that a program is given to draw what a key did."""
_MOST_KEYS = 40


async def take_option(
    lane: Lane[AgentWatcher],
    backend: Backend,
    session: str,
    *,
    box: str,
    option: str,
    marks: Mapping[str, str],
    now: Callable[[], datetime],
) -> None:
    """Press until `option` of `box` is taken; `marks` are set with the last key.

    Raises `Moved` where the box is no longer there, `Refused` where the option cannot be reached.
    """

    def step(watcher: AgentWatcher) -> str:
        screen = read(watcher, backend, session, now)
        if box_of(screen) != box:
            raise Moved("terminal", "the box has gone, or is another one")
        key = next_key(screen, option)
        if key is None:
            raise Refused(
                "terminal", f"the screen does not tell which option is marked: attach and choose ({option})"
            )
        watcher.terminal.press(session, (key,), marks if key == "Enter" else {})
        return key

    for _ in range(_MOST_KEYS):
        if await lane.call("answer a box", step, _DEADLINE) == "Enter":
            return
        await asyncio.sleep(_REDRAWN)
    raise Refused("terminal", f"the option '{option}' is not reached by {_MOST_KEYS} keys")


def read(watcher: AgentWatcher, backend: Backend, session: str, now: Callable[[], datetime]) -> Screen:
    """The screen as it is now. Raises `Refused` without a session."""
    screens = watcher.terminal.capture([session])
    if session not in screens:
        raise Refused("terminal", "there is no session now")
    return backend.read(screens[session], now=now(), zone=watcher.zone)
