"""A watch on the fake: what happened after a version, then what happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

from hive.errors import Unreachable
from hive.facts.kubernetes import Change, ChangeKind, ResourceType, labels_of, namespace_of
from tests.fakes.kubernetes_selectors import labels_match


@dataclass(frozen=True, slots=True)
class Happened:
    """One change of one object; `before`: what it was, where it was there before."""

    version: int
    kind: ResourceType
    change: Change
    before: Mapping[str, Any] | None


class Server(Protocol):
    away: bool


class FakeWatch:
    """Ends at `close`, and quietly after `silence` seconds without a change, as when the server ends it."""

    def __init__(
        self,
        history: Sequence[Happened],
        start: int,
        changed: threading.Condition,
        server: Server,
        kind: ResourceType,
        namespace: str,
        labels: str,
        silence: float,
    ) -> None:
        self._history = history
        self._at = start
        self._changed = changed
        self._server = server
        self._kind = kind
        self._namespace = namespace
        self._labels = labels
        self._silence = silence
        self._closed = False

    def __enter__(self) -> FakeWatch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __iter__(self) -> FakeWatch:
        return self

    def __next__(self) -> Change:
        end = time.monotonic() + self._silence
        with self._changed:
            while not self._closed:
                while self._at < len(self._history):
                    one = self._history[self._at]
                    self._at += 1
                    if (change := self._visible(one)) is not None:
                        return change
                left = end - time.monotonic()
                if left <= 0 and self._server.away:
                    raise Unreachable("kubernetes", "the watch has gone silent")
                if left <= 0:
                    break
                self._changed.wait(left)
        raise StopIteration

    def _visible(self, one: Happened) -> Change | None:
        """The change as this watch sees it: an object that stops matching is deleted, as far as it knows."""
        manifest, change = one.change.object, one.change
        if one.kind != self._kind:
            return None
        if change.kind is ChangeKind.BOOKMARK:
            return change
        if self._namespace and namespace_of(manifest) != self._namespace:
            return None
        matched = one.before is not None and labels_match(self._labels, labels_of(one.before))
        if not labels_match(self._labels, labels_of(manifest)):
            return Change(ChangeKind.DELETED, manifest) if matched else None
        if change.kind is ChangeKind.MODIFIED and not matched:
            return Change(ChangeKind.ADDED, manifest)
        return change
