"""Creations that were made already: a repeated one gets the answer of the first.

Agents repeat themselves, after a lost answer, a restart or out of habit, and the forge takes each repetition
for a new wish. Beginning and answer of each creation are kept in files of hive's own; where a beginning has
no answer, the forge is looked at before anything is sent again. The files outlive the process, and need not
outlive a loss of power: syncing each would cost more than all else that is added to a call.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hive.gateway.upstream import Reply
from hive.ports.clock import Clock

_MOST = 2000
"""Files that are kept (chosen: more than any fleet makes within the window)."""
_LONGEST = 256 * 1024
"""Bytes of an answer that is kept; a longer one is looked for on the forge when it is asked for again."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The same creation, begun before; `reply` is `None` where no answer to it is known."""

    begun: datetime
    reply: Reply | None


class Repeats:
    """Thread-safe. With a `window` of nothing, nothing is kept."""

    def __init__(self, folder: Path, window: timedelta, clock: Clock) -> None:
        self._folder = folder
        self._window = window
        self._clock = clock
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    @contextlib.contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Of one creation at a time: the second waits for the first one's answer."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            yield
        with self._guard:
            if not lock.locked():
                self._locks.pop(key, None)

    def earlier(self, key: str) -> Earlier | None:
        """The creation under `key` where it was begun within the window."""
        if not self._window:
            return None
        try:
            value = json.loads(self._path(key).read_bytes())
            begun = datetime.fromisoformat(value["begun"])
            reply = None
            if value.get("status"):
                headers = tuple((str(name), str(text)) for name, text in value["headers"])
                reply = Reply(int(value["status"]), headers, base64.b64decode(value["body"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if self._clock.now() - begun > self._window:
            return None
        return Earlier(begun, reply)

    def begin(self, key: str) -> None:
        """It is about to be sent. Raises `OSError`; then it must not be."""
        self._write(key, {"begun": self._clock.now().isoformat()})
        self._forget()

    def done(self, key: str, reply: Reply) -> None:
        """It was made, and this was the answer."""
        body = reply.body if isinstance(reply.body, bytes) else b""
        if not body or len(body) > _LONGEST:
            return
        kept = {
            "begun": self._clock.now().isoformat(),
            "status": reply.status,
            "headers": reply.headers,
            "body": base64.b64encode(body).decode(),
        }
        with contextlib.suppress(OSError):
            # Without it a repetition is looked for on the forge.
            self._write(key, kept)

    def drop(self, key: str) -> None:
        """It was not made: the forge said no."""
        self._path(key).unlink(missing_ok=True)

    def _write(self, key: str, value: object) -> None:
        if not self._window:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(key)
        fresh = path.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(value).encode())
        fresh.replace(path)

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}.json"

    def _forget(self) -> None:
        """Drop the oldest beyond what is kept."""
        with self._guard:
            files = list(self._folder.glob("*.json"))
            if len(files) <= _MOST:
                return
            for path in sorted(files, key=lambda one: one.stat().st_mtime)[: len(files) - _MOST + 100]:
                path.unlink(missing_ok=True)
