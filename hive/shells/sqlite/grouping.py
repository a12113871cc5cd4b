"""Group commit: callers that arrive while a commit runs share the next one, and so one fsync.

The callers do the work themselves: the first becomes the leader, commits what waits, then hands the lead to
whoever came meanwhile. A thread of its own would cost a lone caller two thread switches a write.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from hive.errors import JournalError

Job = TypeVar("Job")


class _Seat(Generic[Job]):
    """One caller's place in the queue."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.error: BaseException | None = None
        self.is_done = False
        self.has_lead = False
        self.turn = threading.Lock()
        self.turn.acquire()


class GroupCommit(Generic[Job]):
    """Runs `commit` on the jobs of many threads, one group at a time, in order of arrival.

    `commit` returns for each job None or the error that its caller shall see; it is never run twice at once.
    """

    def __init__(self, commit: Callable[[Sequence[Job]], Sequence[BaseException | None]]) -> None:
        self._commit = commit
        self._mutex = threading.Lock()
        self._waiting: list[_Seat[Job]] = []
        self._is_led = False

    def run(self, job: Job) -> None:
        """Return when `job` is committed; raise its error when it was not."""
        seat = _Seat(job)
        with self._mutex:
            self._waiting.append(seat)
            leads, self._is_led = not self._is_led, True
        if not leads:
            self._await_turn(seat)
        if not seat.is_done:
            self._lead()
        if seat.error is not None:
            raise seat.error

    def _await_turn(self, seat: _Seat[Job]) -> None:
        """Wait until `seat` is done or has the lead; a caller torn away by a signal passes the lead on."""
        try:
            seat.turn.acquire()
        except BaseException:
            with self._mutex:
                if seat in self._waiting:
                    self._waiting.remove(seat)
            if seat.has_lead:
                self._hand_over()
            raise

    def _lead(self) -> None:
        with self._mutex:
            group, self._waiting = self._waiting, []
        try:
            errors = self._commit([seat.job for seat in group])
        except BaseException as error:
            errors = [_for_another(error)] * len(group)
            raise
        finally:
            self._hand_over()
            for seat, failure in zip(group, errors, strict=True):
                seat.error, seat.is_done = failure, True
                seat.turn.release()

    def _hand_over(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting[0].has_lead = True
                self._waiting[0].turn.release()
            else:
                self._is_led = False


def _for_another(error: BaseException) -> BaseException:
    """A leader's Ctrl-C is not its followers'."""
    return error if isinstance(error, Exception) else JournalError("the writing thread was interrupted")
