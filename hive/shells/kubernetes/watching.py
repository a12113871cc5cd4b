"""A watch: the changes of a kind after a version, until the server ends it.

Servers are asked to end a watch well before it would count as silent. A network that swallows everything,
or a server that stopped, is thereby told from a kind that nobody changes: nothing depends on bookmarks.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import msgspec

from hive.errors import Moved, Unreachable
from hive.facts.kubernetes import Change, ChangeKind
from hive.shells.kubernetes.connection import Call, Connection
from hive.shells.kubernetes.failures import PORT, Request, failure
from hive.shells.kubernetes.streams import Lines

_SHARE = 2 / 3
"""Chosen: of `silence`, after which the server ends the watch; the rest is for a slow network."""


def open_watch(
    connection: Connection,
    request: Request,
    path: str,
    query: tuple[tuple[str, str], ...],
    silence: float,
) -> WatchStream:
    """Raises what the server says to the request itself, before any change."""
    lasts = max(1, int(silence * _SHARE))
    watching = (("watch", "true"), ("allowWatchBookmarks", "true"), ("timeoutSeconds", str(lasts)))
    response = connection.open(request, Call("GET", path, (*query, *watching)), read_timeout=silence)
    return WatchStream(request, Lines(request, response, deadline=lasts + silence))


class WatchStream:
    """See `hive.ports.kubernetes.ChangeStream`; as a context it closes itself."""

    def __init__(self, request: Request, lines: Lines) -> None:
        self._request = request
        self._lines = lines

    def __enter__(self) -> WatchStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> WatchStream:
        return self

    def __next__(self) -> Change:
        return self._change(next(self._lines))

    def close(self) -> None:
        self._lines.close()

    def _change(self, line: bytes) -> Change:
        try:
            event: Any = msgspec.json.decode(line)
            kind, manifest = event["type"], event["object"]
        except (ValueError, KeyError, TypeError) as error:
            raise Unreachable(PORT, self._request.says("a change came broken")) from error
        if kind != "ERROR":
            return Change(ChangeKind(kind), manifest)
        self.close()
        code = int(manifest.get("code") or 500)
        if code == 410:
            raise Moved(PORT, self._request.says(str(manifest.get("message") or "the version is too old")))
        raise failure(self._request, code, {}, msgspec.json.encode(manifest))
