"""How many requests to models are under way at once: so many of one agent, never all of the gateway.

A stream holds its connection for minutes; the forge's requests of other agents need theirs for milliseconds.
"""

from __future__ import annotations

import threading
from collections import Counter


class Places:
    """Thread-safe. At most `most` requests at once, and `each` of one agent."""

    def __init__(self, most: int, each: int) -> None:
        self._most = most
        self._each = each
        self._taken: Counter[str] = Counter()
        self._all = 0
        self._lock = threading.Lock()

    def take(self, agent: str) -> str | None:
        """Take a place for a request of `agent`; else why there is none."""
        with self._lock:
            if self._taken[agent] >= self._each:
                return f"{agent} has {self._each} requests to models under way, as many as one agent may"
            if self._all >= self._most:
                return f"{self._most} requests to models are under way, as many as hive carries at once"
            self._taken[agent] += 1
            self._all += 1
        return None

    def leave(self, agent: str) -> None:
        with self._lock:
            self._all -= 1
            self._taken[agent] -= 1
            if not self._taken[agent]:
                del self._taken[agent]
