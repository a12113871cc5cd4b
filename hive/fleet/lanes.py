"""Members asked at the same time, each in a thread of its own: one that hangs holds up nobody.

A thread that is past its deadline is told to write nothing any more, and its member counts as out of sight
until it has ended, for every controller of this process: what it may still be doing could not be told from
what was seen.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from hive.errors import HiveError, Unreachable
from hive.ports.kubernetes import Kubernetes

T = TypeVar("T")

Connect = Callable[[], Kubernetes]
Work = Callable[[Kubernetes, threading.Event], T]
"""Gets the connection, and an event that is set when nothing may be written any more."""


_late: dict[str, list[threading.Thread]] = {}
"""Threads past their deadline, by member. Of the process: a controller that was given up may leave some."""


class _Turn(Generic[T]):
    """One piece of work in its thread."""

    def __init__(self, lane: MemberLane, work: Work[T]) -> None:
        self.stop = threading.Event()
        self.result: T | None = None
        self.failure: BaseException | None = None
        self._lane = lane
        self._work = work
        self.thread = threading.Thread(target=self._run, name=f"member-{lane.name}", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.result = self._work(self._lane.connection(), self.stop)
        except BaseException as error:
            self.failure = error  # handed over to whoever waits

    def answer(self, name: str, seconds: float) -> T | HiveError:
        """Once it was waited for. Raises what is no `HiveError`: a bug."""
        if self.thread.is_alive():
            return Unreachable("kubernetes", f"{name}: no answer within {seconds:g} s")
        if isinstance(self.failure, HiveError):
            return self.failure
        if self.failure is not None:
            raise self.failure
        assert self.result is not None, "work returns something"
        return self.result


class MemberLane:
    """A member's connection and the one thread that may use it."""

    def __init__(self, name: str, connect: Connect) -> None:
        self.name = name
        self._connect = connect
        self._connected: Kubernetes | None = None
        self._turn: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        late = [each for each in _late.pop(self.name, []) if each.is_alive()]
        if late:
            _late[self.name] = late
        return bool(late) or (self._turn is not None and self._turn.is_alive())

    def give_up(self, thread: threading.Thread) -> None:
        _late.setdefault(self.name, []).append(thread)

    def connection(self) -> Kubernetes:
        """Made at its first use; in the lane's thread alone. Raises what `connect` raises."""
        if self._connected is None:
            self._connected = self._connect()
        return self._connected

    def begin(self, work: Work[T]) -> _Turn[T]:
        assert not self.is_busy
        turn = _Turn(self, work)
        self._turn = turn.thread
        return turn

    def close(self) -> None:
        if self._connected is not None and not self.is_busy:
            self._connected.close()
            self._connected = None


def together(
    lanes: Mapping[str, MemberLane], work: Mapping[str, Work[T]], *, seconds: float
) -> dict[str, T | HiveError]:
    """The results by member, or why there is none. An error that is no `HiveError` is a bug, and raised."""
    results: dict[str, T | HiveError] = {
        name: Unreachable("kubernetes", f"{name}: a request of an earlier look has not ended")
        for name in work
        if lanes[name].is_busy
    }
    turns = {name: lanes[name].begin(each) for name, each in work.items() if name not in results}
    deadline = time.monotonic() + seconds
    for name, turn in turns.items():
        turn.thread.join(max(0.0, deadline - time.monotonic()))
        turn.stop.set()
        if turn.thread.is_alive():
            lanes[name].give_up(turn.thread)
    for name, turn in turns.items():
        results[name] = turn.answer(name, seconds)
    return results
