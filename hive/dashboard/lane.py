"""A thread of its own for calls that may hang, so that waiting for them can be given up.

Textual's own thread workers share asyncio's executor, which the end of the program waits for: one
supervisor that never answers would then keep `q` from quitting. A lane's threads are daemons.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Job = Callable[[], None]

MOST_GIVEN_UP = 4
"""Chosen: threads that still hang before no more are started."""


class Lane:
    """Runs one call after the other; a call past its deadline costs its thread, not the caller."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Job | None] | None = None
        self._hanging: set[int] = set()
        self._count = 0

    async def call(self, work: Callable[[], T], *, deadline: float) -> T:
        """What `work` returns or raises; `TimeoutError` when that takes over `deadline` seconds, or when
        too many earlier calls still hang."""
        if len(self._hanging) >= MOST_GIVEN_UP:
            raise TimeoutError("earlier calls still hang")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._count += 1
        number = self._count
        self._open().put(lambda: self._run(work, answer, loop, number))
        try:
            async with asyncio.timeout(deadline):
                return await answer
        except (TimeoutError, asyncio.CancelledError):
            if answer.cancelled():
                self._hanging.add(number)
                self.close()
            raise

    def close(self) -> None:
        """Let the thread end after its current call; the next call gets a new one."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None

    def _open(self) -> SimpleQueue[Job | None]:
        if self._jobs is None:
            self._jobs = SimpleQueue()
            threading.Thread(target=_work_off, args=(self._jobs,), name=self._name, daemon=True).start()
        return self._jobs

    def _run(
        self, work: Callable[[], T], answer: asyncio.Future[T], loop: asyncio.AbstractEventLoop, number: int
    ) -> None:
        try:
            result = work()
        except Exception as problem:
            reason = problem  # handed to the caller, whatever it is
            _post(loop, lambda: self._arrive(number, answer, lambda: answer.set_exception(reason)))
        else:
            _post(loop, lambda: self._arrive(number, answer, lambda: answer.set_result(result)))

    def _arrive(self, number: int, answer: asyncio.Future[T], deliver: Job) -> None:
        self._hanging.discard(number)
        if not answer.done():
            deliver()


def _work_off(jobs: SimpleQueue[Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


def _post(loop: asyncio.AbstractEventLoop, arrive: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(arrive)
    except RuntimeError:
        return  # the dashboard was closed meanwhile: nobody waits for this any more
