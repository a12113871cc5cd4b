"""Sessions of this machine are ended beside everything else: programs have a second to end in, and neither a
look nor a start waits for that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hive.facts.intents import StopAgent
from hive.kernel.lane import Lane
from hive.kernel.look_at_agents import AgentWatcher

_DEADLINE = 15.0
"""Seconds, for each of the three steps."""
_AT_ONCE = 8
"""Chosen: each looks through all processes of the machine fifty times a second."""


class Endings:
    """So many at once; the others wait for one of them."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def stop(self, intent: StopAgent, lane: Lane[AgentWatcher]) -> None:
        """End the session and its whole process tree. Raises `WorldError` as `Terminal.stop` does."""

        def find(watcher: AgentWatcher) -> Callable[[], None]:
            return watcher.terminal.ending(intent.session, intent.identity)

        async with self._room:
            end = await lane.call(intent.id, find, _DEADLINE)
            beside = Lane("ending", lambda: end)
            try:
                await beside.call(intent.id, lambda call: call(), _DEADLINE)
            finally:
                beside.close(0.0)
        await lane.call(
            intent.id, lambda watcher: watcher.terminal.stop(intent.session, intent.identity), _DEADLINE
        )
