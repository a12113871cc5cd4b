"""A journal in memory; it passes the contract of `tests/shells/test_journal_contract.py`."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from hive.errors import JournalError
from hive.facts.events import Event, Record, kind_of
from hive.facts.memory import Memory


class MemoryJournal:
    """Set `failure` to make every write fail, as a full disk does; take it away and writing works again."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self._lock = threading.Lock()
        self._records: list[Record] = []
        self._snapshots: dict[int, Memory] = {}
        self._document: bytes | None = None
        self._is_closed = False

    def append(self, events: Sequence[Event], *, at: datetime, tick: int = 0) -> tuple[Record, ...]:
        if not events:
            return ()
        if at.tzinfo is None:
            raise ValueError("`at` must be aware")
        with self._lock:
            self._require_writable()
            first = len(self._records) + 1
            added = tuple(
                Record(first + offset, at.astimezone(UTC), tick, event) for offset, event in enumerate(events)
            )
            self._records.extend(added)
            return added

    def records(self, *, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        seq = after
        while limit is None or seq < after + limit:
            self._require_open()
            if seq >= len(self._records):
                return
            yield self._records[seq]
            seq += 1

    def newest(self, limit: int) -> tuple[Record, ...]:
        self._require_open()
        return tuple(self._records[-limit:]) if limit > 0 else ()

    def about(self, subject: str, *, limit: int = 1000, without: Sequence[str] = ()) -> tuple[Record, ...]:
        self._require_open()
        found = [
            record
            for record in self._records
            if _name(record.event.subject) == _name(subject) and kind_of(record.event) not in without
        ]
        return tuple(found[-limit:]) if limit > 0 else ()

    def snapshot(self) -> Memory | None:
        self._require_open()
        return self._snapshots[max(self._snapshots)] if self._snapshots else None

    def store_snapshot(self, memory: Memory) -> None:
        with self._lock:
            self._require_writable()
            if memory.seq <= len(self._records):
                self._snapshots[memory.seq] = memory

    def publish(self, document: bytes) -> None:
        with self._lock:
            self._require_writable()
            self._document = document

    def published(self) -> bytes | None:
        self._require_open()
        return self._document

    def close(self) -> None:
        self._is_closed = True

    def _require_open(self) -> None:
        if self._is_closed:
            raise JournalError("journal in memory: it is closed")

    def _require_writable(self) -> None:
        self._require_open()
        if self.failure is not None:
            raise JournalError(self.failure)


def _name(subject: str) -> str:
    """GitHub ignores the case of owners and repositories."""
    is_repository = re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(#[0-9]+)?", subject)
    return subject.lower() if is_repository else subject
