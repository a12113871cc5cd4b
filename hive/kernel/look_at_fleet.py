"""Keeps the fleet in order, and the newest sighting of it.

In a task of its own, like the looks at the forge: clusters that answer late keep nobody waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from hive.errors import WorldError
from hive.facts.fleet_sighting import FleetSighting
from hive.facts.world import Seen, Unseen
from hive.kernel.lane import Lane
from hive.ports.fleet import Fleet

_DEADLINE = 60.0
"""Seconds for one reconcile: it waits for members that do not answer."""
INTERVAL = timedelta(seconds=2)
"""Between two reconciles; an idle one lists each kind once and writes nothing."""


class FleetWatcher:
    """A failed look hides the fleet at once: what was true a while ago is not decided on."""

    def __init__(
        self, lane: Lane[Fleet], now: Callable[[], datetime], interval: timedelta = INTERVAL
    ) -> None:
        self.section: Seen[FleetSighting] | Unseen = Unseen("not looked at yet", now(), is_early=True)
        self._lane = lane
        self._now = now
        self._interval = interval
        self._wake = asyncio.Event()

    @property
    def lane(self) -> Lane[Fleet]:
        return self._lane

    def press(self) -> None:
        """Have the fleet looked at as soon as can be."""
        self._wake.set()

    async def run(self, seen: Callable[[], None]) -> None:
        """Reconcile, for ever; `seen` is called whenever the sighting is another one."""
        while True:
            self._wake.clear()
            before = self.section
            await self.look()
            if _content(before) != _content(self.section):
                seen()
            try:
                async with asyncio.timeout(self._interval.total_seconds()):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def look(self) -> None:
        """One reconcile. Raises only what is a fault of hive's own."""
        at = self._now()
        try:
            sighting = await self._lane.call("reconcile", lambda fleet: fleet.reconcile(at), _DEADLINE)
        except WorldError as error:
            self.section = Unseen(str(error), at)
        except Exception as error:  # a bug: what cannot be read any more must not be decided on
            self.section = Unseen(f"{type(error).__name__} (a fault of hive's own)", at)
            raise
        else:
            self.section = Seen(sighting, at)


def _content(section: Seen[FleetSighting] | Unseen) -> object:
    return section.value.sandboxes if isinstance(section, Seen) else section.because
