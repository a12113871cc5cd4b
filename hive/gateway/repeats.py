"""Creations that were made already: a repeated one gets the answer of the first.

Agents repeat themselves, after a lost answer, a restart or out of habit, and the forge takes each repetition
for a new wish. Beginning and answer of each creation are kept in files of hive's own; where a beginning has
no answer, the forge is looked at before anything is sent again. The files outlive the process, and need not
outlive a loss of power: syncing each would cost more than all else that is added to a call.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

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
    """Thread-safe. A key is `Creation.key`, and the name of a file. Without a `window` nothing is kept."""

    def __init__(self, folder: Path, window: timedelta, clock: Clock) -> None:
        self._folder = folder
        self._window = window
        self._clock = clock
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._made = _MOST
        """How many files there may be: unknown at the start, so that the first beginning counts them."""

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
            with open(self._path(key), "rb") as file:
                value = _told(file.read())
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
        self._write(key, {"begun": self._clock.now().isoformat()}, os.O_TRUNC)
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
            self._write(key, kept, os.O_APPEND)

    def drop(self, key: str) -> None:
        """It was not made: the forge said no."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(key))

    def _write(self, key: str, value: object, how: int) -> None:
        if not self._window:
            return
        path, flags = self._path(key), os.O_WRONLY | os.O_CREAT | how
        try:
            handle = os.open(path, flags, 0o600)
        except FileNotFoundError:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, flags, 0o600)
        try:
            line = b"\n%b\n" % json.dumps(value).encode()
            if os.write(handle, line) < len(line):
                raise OSError(f"{path}: no room for all of it")
        finally:
            os.close(handle)

    def _path(self, key: str) -> str:
        return f"{self._folder}/{key}.json"

    def _forget(self) -> None:
        """Drop the oldest beyond what is kept; the folder is looked through only when there may be any."""
        with self._guard:
            self._made += 1
            if self._made <= _MOST:
                return
            files = list(self._folder.glob("*.json"))
            self._made = len(files)
            if len(files) <= _MOST:
                return
            for path in sorted(files, key=lambda one: one.stat().st_mtime)[: len(files) - _MOST + 100]:
                path.unlink(missing_ok=True)
                self._made -= 1


def _told(data: bytes) -> dict[str, Any]:
    """All that its whole lines say."""
    value: dict[str, Any] = {}
    for line in data.splitlines():
        with contextlib.suppress(ValueError):
            value |= json.loads(line) if line else {}
    return value
