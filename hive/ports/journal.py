"""The append-only record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from hive.facts.events import Event, Record
from hive.facts.memory import Memory


class Journal(Protocol):
    """One writer, many readers. Raises `JournalError` when it cannot be read or written."""

    def append(self, events: Sequence[Event], *, at: datetime, tick: int = 0) -> tuple[Record, ...]:
        """Write all of `events` or none, durably, and return their records. Safe from any thread."""
        ...

    def records(self, *, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """Records with a `seq` above `after`, in order."""
        ...

    def newest(self, limit: int) -> tuple[Record, ...]:
        """The last `limit` records, oldest first."""
        ...

    def about(self, subject: str, *, limit: int = 1000, without: Sequence[str] = ()) -> tuple[Record, ...]:
        """The newest `limit` records whose subject is `subject`, oldest first; none whose event has one of
        the kinds (`facts.events.kind_of`) in `without`."""
        ...

    def snapshot(self) -> Memory | None:
        """The newest stored memory, or None where there is none that this version understands."""
        ...

    def store_snapshot(self, memory: Memory) -> None:
        """Keep `memory` (folded up to `memory.seq`) for the next start."""
        ...

    def publish(self, document: bytes) -> None:
        """Replace the status document that readers get while no daemon answers (`hive status`)."""
        ...

    def published(self) -> bytes | None: ...

    def close(self) -> None: ...
