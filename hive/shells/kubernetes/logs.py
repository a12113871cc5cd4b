"""The log of a container, followed until the container ends.

API servers answer when there is something to answer with: of a container that has written nothing yet,
nothing comes, not even that the request was good. So it is asked anew from time to time, until there is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import urllib3

from hive.errors import Refused, Unreachable
from hive.facts.kubernetes import PODS, PodRef
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.failures import Request, of_pod
from hive.shells.kubernetes.paths import path_of
from hive.shells.kubernetes.streams import Lines

SILENCE = 3600.0
"""Seconds between two lines. Chosen: TCP's keep-alive finds a peer that is gone much earlier."""

FIRST = 2.0
"""Seconds for the first answer. Chosen: whatever is wrong with the request is told at once."""

AGAIN = 5.0
"""Seconds until it is asked for anew, while there is nothing. Chosen: so long may a close take."""


def open_log(
    connection: Connection, request: Request, pod: PodRef, query: tuple[tuple[str, str], ...]
) -> PodLog:
    """`Missing` where the pod is not there, or has not started."""
    call = Call("GET", path_of(PODS, pod.namespace, pod.name, "log"), query, accept="*/*")
    log = PodLog(connection, request, call)
    log.attempt(FIRST)
    return log


class PodLog:
    """See `hive.ports.kubernetes.LogStream`."""

    def __init__(self, connection: Connection, request: Request, call: Call) -> None:
        self._connection = connection
        self._request = request
        self._call = call
        self._lock = threading.Lock()
        self._lines: Lines | None = None
        self._closed = False

    def attempt(self, patience: float) -> None:
        """Ask; content when nothing came within `patience` seconds."""
        try:
            response = self._connection.open(
                self._request, self._call, read_timeout=SILENCE, header_timeout=patience
            )
        except (Refused, Unreachable) as error:
            if isinstance(error.__cause__, urllib3.exceptions.ReadTimeoutError):
                return
            raise of_pod(error) from error
        with self._lock:
            self._lines = Lines(self._request, response, keep_empty=True)
            if self._closed:
                self._lines.close()

    def lines(self) -> Iterator[bytes]:
        while self._lines is None and not self._closed:
            self.attempt(AGAIN)
        if self._lines is not None:
            yield from self._lines

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._lines is not None:
                self._lines.close()
