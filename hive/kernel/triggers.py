"""What wakes the tick: "look again", and nothing else. Safe from any thread."""

from __future__ import annotations

import asyncio
import threading


class Trigger:
    """Coalesces timer, watch and request into one wake-up. Its only data: repositories to look at."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._lock = threading.Lock()
        self._repos: set[str] = set()

    def poke(self, repo: str | None = None) -> None:
        """Wake the tick; with `repo`, have that repository looked at as well."""
        with self._lock:
            if repo is not None:
                self._repos.add(repo)
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:
            return  # the loop has ended; nobody is left to wake

    def take_repos(self) -> set[str]:
        """The repositories to look at, each told once."""
        with self._lock:
            repos, self._repos = self._repos, set()
        return repos

    async def wait(self, seconds: float) -> bool:
        """Until poked or `seconds` have passed; whether it was poked."""
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return False
        finally:
            self._event.clear()
        return True
