"""All members asked at once, each in a thread of its own and with a deadline of its own.

A member that hangs holds up nobody: its thread is left to itself, and the member counts as one that does
not answer until it comes back. What it then brings is taken with the time at which it was asked for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from hive.decisions.inventory.observe import Look, look
from hive.decisions.inventory.shapes import NodeShape, PodShape
from hive.errors import ConfigError, InDoubt, Unreachable, WorldError
from hive.facts.kubernetes import NODES, PODS
from hive.ports.kubernetes import Kubernetes

Connect = Callable[[], Kubernetes]
"""Makes a client that its caller alone owns."""

_ALIVE = "status.phase!=Succeeded,status.phase!=Failed"
"""Pods that have ended take nothing; the server leaves them out."""


class Member:
    """One member, and the client that only its own thread uses."""

    def __init__(self, name: str, connect: Connect) -> None:
        self.name = name
        self._connect = connect
        self._client: Kubernetes | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked: datetime | None = None
        self._answer: Look | None = None
        self._late: Look | None = None
        self._failure: BaseException | None = None
        self._closed = False

    def ask(self, now: datetime) -> None:
        """Begin a look, unless one is still under way."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return
            # An answer that came when nobody waited any more is better than none.
            self._late = self._answer
            self._asked, self._answer, self._failure = now, None, None
            self._thread = threading.Thread(
                target=self._look, args=(now,), name=f"inventory-{self.name}", daemon=True
            )
            self._thread.start()

    def answer(self, until: float) -> Look:
        """What it said; waits for it until `until` (of the monotonic clock).

        Raises `WorldError` or `ConfigError` for why it said nothing; anything else is a bug of hive's.
        """
        thread = self._thread
        assert thread is not None
        thread.join(max(until - time.monotonic(), 0))
        with self._lock:
            answer, self._answer = self._answer, None
            if answer is not None:
                return answer
            if thread.is_alive():
                late, self._late = self._late, None
                if late is not None:
                    return late
                raise Unreachable("kubernetes", f"{self.name} has not answered since {self._asked:%H:%M:%S}Z")
            assert self._failure is not None
            raise self._failure

    def close(self) -> None:
        """Let the client go: at once, or when the look that is under way has ended."""
        with self._lock:
            self._closed = True
            if self._thread is None or not self._thread.is_alive():
                self._let_go()

    def _look(self, now: datetime) -> None:
        answer: Look | None = None
        failure: BaseException | None = None
        try:
            if self._client is None:
                self._client = self._connect()
            answer = _look(self.name, self._client, now)
        except ValueError as error:
            failure = InDoubt("kubernetes", f"{self.name}: {error}")
        except BaseException as error:  # handed to whoever asks for the answer
            failure = error
        with self._lock:
            self._answer, self._failure = answer, failure
            if self._closed:
                self._let_go()

    def _let_go(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def look_at(
    members: Mapping[str, Member], now: datetime, deadline: float
) -> dict[str, Look | WorldError | ConfigError]:
    """Ask all of `members` at once; each has `deadline` seconds."""
    for member in members.values():
        member.ask(now)
    until = time.monotonic() + deadline
    found: dict[str, Look | WorldError | ConfigError] = {}
    for name, member in members.items():
        try:
            found[name] = member.answer(until)
        except (WorldError, ConfigError) as error:
            found[name] = error
    return found


def _look(name: str, client: Kubernetes, now: datetime) -> Look:
    version = client.version()
    nodes = client.list_as(NODES, NodeShape)
    pods = client.list_as(PODS, PodShape, fields=_ALIVE)
    return look(name, now, nodes, pods, version)
