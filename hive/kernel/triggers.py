"""What wakes the tick: "look again", and nothing else. Safe from any thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading

LEAST_CALM = 0.2
"""Seconds between two ticks at least, whatever woke the second."""
_SHARE = 0.05
"""Share of a core that ticks may take while output alone wakes them. Chosen: with 20 agents that draw without
end (26 ms of processor time a tick, measured) it is a tick each half second, and the whole stays below what
a loop of capture-pane costs that looks once a second."""
_MOST_CALM = 1.0
"""Seconds until output is looked at, however dear a tick is: as soon as such a loop would."""


def calm_after(*costs: float) -> float:
    """Seconds from the beginning of one tick to that of the next where output alone wakes it: the more
    processor time (seconds) the last ticks took, the longer. One dear tick among cheap ones, which acted
    perhaps, holds up nothing."""
    return min(max(LEAST_CALM, min(costs) / _SHARE), _MOST_CALM)


class Trigger:
    """Coalesces timer, watch and request into one wake-up. Its only data: repositories to look at.

    Attributes:
        calm: Seconds that output has to wait after the beginning of the last tick. Set by who ticks.
    """

    def __init__(self) -> None:
        self.calm = LEAST_CALM
        self._loop = asyncio.get_running_loop()
        self._poked = asyncio.Event()
        self._woken = asyncio.Event()
        self._lock = threading.Lock()
        self._repos: set[str] = set()

    def poke(self, repo: str | None = None) -> None:
        """Wake the tick; with `repo`, have that repository looked at as well."""
        with self._lock:
            if repo is not None:
                self._repos.add(repo)
        self._set(self._poked, self._woken)

    def stir(self) -> float:
        """Wake the tick for output on a screen, once the calm is over; returns `calm`."""
        self._set(self._woken)
        return self.calm

    def _set(self, *events: asyncio.Event) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended; nobody is left to wake
            for event in events:
                self._loop.call_soon_threadsafe(event.set)

    def take_repos(self) -> set[str]:
        """The repositories to look at, each told once."""
        with self._lock:
            repos, self._repos = self._repos, set()
        return repos

    async def wait(self, seconds: float, *, calm: float = 0.0) -> bool:
        """Until poked, or stirred and `calm` seconds are over, or `seconds` have passed; whether it was
        woken."""
        began = self._loop.time()
        await asyncio.sleep(0)  # pokes of before now are still on their way through the loop
        try:
            woken = await _within(seconds, self._woken)
            left = min(calm, seconds) - (self._loop.time() - began)
            if woken and left > 0:
                await _within(left, self._poked)
            return woken
        finally:
            self._woken.clear()
            self._poked.clear()


async def _within(seconds: float, event: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return event.is_set()
    return True
