"""A lane: one daemon thread, one queue, one client that it alone owns.

Not `asyncio.to_thread`: a blocking call cannot be cancelled, and `asyncio.run` waits for the threads of
the default executor at its end (measured: 4.0 s for a call given up after 0.5 s; with a lane 0.5 s).
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from hive.errors import GivenUp

C = TypeVar("C")
R = TypeVar("R")


@dataclass(slots=True)
class _Job:
    call: Callable[[object], object]
    future: asyncio.Future[object]
    loop: asyncio.AbstractEventLoop


class _Worker(Generic[C]):
    """The thread of one client. Once abandoned it ends after the call that it hangs in."""

    def __init__(self, name: str, factory: Callable[[], C], close: Callable[[C], None]) -> None:
        self.jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._factory = factory
        self._close = close
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"lane-{name}", daemon=True)
        self._thread.start()

    def abandon(self) -> None:
        self._abandoned.set()
        self.jobs.put(None)

    def join(self, timeout: float) -> None:
        self._thread.join(timeout)

    def _run(self) -> None:
        client: C | None = None
        while (job := self.jobs.get()) is not None:
            try:
                if client is None:
                    client = self._factory()
                self._answer(job, job.call(client), None)
            except BaseException as error:  # handed to whoever awaits the call
                self._answer(job, None, error)
            if self._abandoned.is_set():
                break
        if client is not None:
            self._close(client)

    def _answer(self, job: _Job, value: object, error: BaseException | None) -> None:
        def settle() -> None:
            if job.future.done():
                return
            if error is None:
                job.future.set_result(value)
            else:
                job.future.set_exception(error)

        try:
            job.loop.call_soon_threadsafe(settle)
        except RuntimeError:
            self._abandoned.set()  # the event loop has ended: nobody waits for this any more


class Lane(Generic[C]):
    """Calls into one port, each with a deadline.

    A call that misses its deadline is given up: `GivenUp` is raised, the thread with its client is
    abandoned and counted, and the next call gets a new thread and a fresh client from `factory`.
    """

    def __init__(
        self,
        name: str,
        factory: Callable[[], C],
        *,
        close: Callable[[C], None] = lambda client: None,
        abandoned: Callable[[str, str, int], None] = lambda name, what, count: None,
    ) -> None:
        self.name = name
        self.count = 0
        """How often a thread was abandoned."""
        self._factory = factory
        self._close = close
        self._tell = abandoned
        self._worker: _Worker[C] | None = None

    async def call(self, what: str, call: Callable[[C], R], deadline: float) -> R:
        """Run `call` with the client in the lane's thread; `deadline` is in seconds, queueing included."""
        if self._worker is None:
            self._worker = _Worker(self.name, self._factory, self._close)
        worker = self._worker
        loop = asyncio.get_running_loop()
        future: asyncio.Future[object] = loop.create_future()
        worker.jobs.put(_Job(call, future, loop))  # type: ignore[arg-type]  # the worker's own client
        try:
            # Not `wait_for`: in Python 3.11 it swallows a cancellation that meets the answer.
            async with asyncio.timeout(deadline):
                return cast(R, await future)
        except TimeoutError as error:
            if future.done() and not future.cancelled():  # the answer met the deadline, or is this error
                return cast(R, future.result())
            self._abandon(worker, what)
            raise GivenUp(self.name, f"no answer to '{what}' within {deadline:g} s") from error

    def _abandon(self, worker: _Worker[C], what: str) -> None:
        """Give the thread up, once, however many calls were waiting in its queue."""
        if self._worker is not worker:
            return
        worker.abandon()
        self._worker = None
        self.count += 1
        self._tell(self.name, what, self.count)

    def close(self, timeout: float = 1.0) -> None:
        """Let the thread end; waits at most `timeout` seconds for it."""
        if self._worker is not None:
            self._worker.abandon()
            self._worker.join(timeout)
            self._worker = None
