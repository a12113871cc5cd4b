"""What came of each write, put on record beside its answer and not before it.

The ruling is on record before anything is sent; its end adds what the forge said. An agent need not wait
for the disk a second time, and ends that come together share one commit.
"""

from __future__ import annotations

import logging
import queue
import threading
import time

from hive.errors import JournalError
from hive.facts.request_events import RequestDone
from hive.ports.authority import Authority

_LOG = logging.getLogger(__name__)
_COMPANY_S = 0.02
"""For how long an end waits for others (chosen: far below what anybody notices in the journal)."""


class Ends:
    """Thread-safe."""

    def __init__(self, authority: Authority) -> None:
        self._authority = authority
        self._waiting: queue.SimpleQueue[RequestDone | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._is_closed = False

    def note(self, event: RequestDone) -> None:
        """Put it on record soon; at once after `close`."""
        with self._lock:
            is_late = self._is_closed
            if not is_late:
                self._waiting.put(event)
            if not is_late and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gateway-ends", daemon=True)
                self._thread.start()
        if is_late:
            self.write([event])

    def close(self, timeout: float) -> None:
        """Write down what is yet to be, for at most `timeout` seconds."""
        with self._lock:
            self._is_closed = True
            self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(timeout)

    def write(self, events: list[RequestDone]) -> None:
        """Put them on record now."""
        try:
            self._authority.record(events)
        except JournalError as error:
            # It is done by now, and its ruling is on record; the agent was told the truth.
            named = ", ".join(event.request_id for event in events)
            _LOG.warning("the end of request %s is not on record: %s", named, error)

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            events, ended = [first], False
            until = time.monotonic() + _COMPANY_S
            while not ended and (left := until - time.monotonic()) > 0:
                try:
                    another = self._waiting.get(timeout=left)
                except queue.Empty:
                    break
                ended = another is None
                events += [another] if another is not None else []
            self.write(events)
            if ended:
                return
