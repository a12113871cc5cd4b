"""What answers used, written to the journal beside the streams: no agent waits for a disk to read on."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

from hive.errors import JournalError
from hive.facts.events import Event
from hive.facts.recorded import AgentEvent

_LOG = logging.getLogger(__name__)
_AGAIN_S = 0.5
_AT_ONCE = 200


class Recorder:
    """A thread of its own. `record` raises `JournalError`, and is then tried again with the same."""

    def __init__(self, record: Callable[[Sequence[Event]], None]) -> None:
        self._record = record
        self._queue: deque[AgentEvent] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._is_refused = False
        self._thread = threading.Thread(target=self._work, name="relay-recorder", daemon=True)
        self._thread.start()

    def put(self, event: AgentEvent) -> None:
        with self._changed:
            self._queue.append(event)
            self._changed.notify_all()

    def unwritten(self) -> tuple[AgentEvent, ...] | None:
        """What the journal may not have yet; None where it takes nothing at present."""
        with self._changed:
            return None if self._is_refused else tuple(self._queue)

    def settle(self, agent: str, timeout: float) -> bool:
        """Wait until all of this agent's is written; whether it is."""
        until = time.monotonic() + timeout
        with self._changed:
            while any(event.agent == agent for event in self._queue):
                left = until - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def close(self, timeout: float) -> None:
        """Write down what is yet to be, for at most `timeout` seconds."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout)
        if self._queue:
            _LOG.error("the use of %s answers of models could not be written down", len(self._queue))

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closing:
                    self._changed.wait()
                if not self._queue:
                    return
                batch = list(self._queue)[:_AT_ONCE]
            if self._written(batch):
                with self._changed:
                    self._is_refused = False
                    for _ in batch:
                        self._queue.popleft()
                    self._changed.notify_all()
            else:
                with self._changed:
                    self._is_refused = True
                    if self._closing:
                        return
                    self._changed.wait(_AGAIN_S)

    def _written(self, batch: list[AgentEvent]) -> bool:
        try:
            self._record(cast(list[Event], batch))
        except JournalError as error:
            _LOG.warning("the use of models cannot be written down yet: %s", error)
            return False
        return True
