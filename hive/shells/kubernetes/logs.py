"""The log of a container, followed until the container ends."""

from __future__ import annotations

from collections.abc import Iterator

from hive.errors import Refused, Unreachable
from hive.facts.kubernetes import PODS, PodRef
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.failures import Request, of_pod
from hive.shells.kubernetes.paths import path_of
from hive.shells.kubernetes.streams import Lines

_SILENCE = 3600.0
"""Seconds. Chosen: a container may be quiet for long; TCP's keep-alive finds a peer that is gone."""


def open_log(
    connection: Connection, request: Request, pod: PodRef, query: tuple[tuple[str, str], ...]
) -> PodLog:
    """`Missing` where the pod is not there, or has not started."""
    path = path_of(PODS, pod.namespace, pod.name, "log")
    call = Call("GET", path, query, accept="*/*")
    try:
        response = connection.open(request, call, read_timeout=_SILENCE)
    except (Refused, Unreachable) as error:
        raise of_pod(error) from error
    return PodLog(Lines(request, response, keep_empty=True))


class PodLog:
    """See `hive.ports.kubernetes.LogStream`."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def lines(self) -> Iterator[bytes]:
        return iter(self._lines)

    def close(self) -> None:
        self._lines.close()
