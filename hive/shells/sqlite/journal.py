"""The journal in one SQLite file: one writing process, any number of readers."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from hive.errors import JournalError
from hive.facts.events import Event, Record
from hive.facts.memory import Memory
from hive.shells.sqlite import rows, snapshots
from hive.shells.sqlite.connections import open_reader, open_writer
from hive.shells.sqlite.failures import translated
from hive.shells.sqlite.grouping import GroupCommit

PAGE = 500
"""Records read at once: more gained nothing in replay; each page is one short read transaction, so that a
slow reader never keeps the writer's log from being folded into the file."""


class _Append:
    """Lines to add; `first` is where they came to stand, once they are committed."""

    def __init__(self, lines: Sequence[rows.Row]) -> None:
        self.lines = lines
        self.first = 0


Write = _Append | Callable[[sqlite3.Connection], object]


class SqliteJournal:
    """`hive.ports.journal.Journal` on a file.

    A writer makes the file (0600) and its folder (0700) where they are missing and migrates an older schema;
    hold the `StateLock` of the folder while you use one. A reader (`read_only=True`) may live in any process
    and never keeps the writer waiting. Every method may be called from any thread.

    Args:
        fold: Version of the fold behind stored snapshots; one stored under another is not offered.

    Raises:
        JournalError: One line with the file, what happened and the remedy; also when it is closed.
    """

    def __init__(self, path: Path, *, read_only: bool = False, fold: str = "") -> None:
        self.path = path
        self._fold = fold
        self._read_only = read_only
        self._is_closed = False
        self._group: GroupCommit[Write | None] = GroupCommit(self._commit)
        self._reading = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        with translated(path):
            if not read_only:
                self._writer = open_writer(path)
            try:
                self._reader = open_reader(path)
                self._identity = path.stat()
            except BaseException:
                self._drop_writer()
                raise

    def append(self, events: Sequence[Event], *, at: datetime, tick: int = 0) -> tuple[Record, ...]:
        """Write all of `events` or none, durably, and return their records."""
        if not events:
            return ()
        kept, lines = rows.as_rows(events, at, tick)
        job = _Append(lines)
        self._write(job)
        when = rows.utc(at)
        return tuple(Record(seq, when, tick, event) for seq, event in enumerate(kept, job.first))

    def records(self, *, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """Records with a `seq` above `after`, in order, read a page at a time.

        Goes on to records that are appended while it runs; a reader that polls calls it again with the last
        `seq` when `data_version` has changed.
        """
        left = limit
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            with self._read() as connection:
                found = rows.page(connection, self.path, after=after, size=size)
            yield from rows.as_records(self.path, found)
            if len(found) < size:
                return
            after += len(found)
            left = None if left is None else left - size

    def newest(self, limit: int) -> tuple[Record, ...]:
        """The last `limit` records, oldest first."""
        with self._read() as connection:
            return tuple(rows.newest(connection, self.path, limit=max(limit, 0)))

    def about(self, subject: str, *, limit: int = 1000, without: Sequence[str] = ()) -> tuple[Record, ...]:
        """The newest `limit` records on `subject`, oldest first, none of a kind in `without`.

        ``o/r`` and ``o/r#7`` match whatever their case, as on GitHub; anything else exactly.
        """
        with self._read() as connection:
            return tuple(rows.about(connection, self.path, subject, limit=max(limit, 0), without=without))

    def last_seq(self) -> int:
        """Position of the newest record; 0 in an empty journal."""
        with self._read() as connection:
            return _end(connection)

    def data_version(self) -> int:
        """A number that changes when anybody has written since this object last asked.

        It reads a few bytes of shared memory, so it may be asked many times a second.
        """
        with self._read() as connection:
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    def snapshot(self) -> Memory | None:
        """The newest stored memory that this version understands and the journal reaches."""
        with self._read() as connection:
            return snapshots.newest(connection, self._fold)

    def store_snapshot(self, memory: Memory) -> None:
        """Keep `memory` for the next start; the newest three are kept."""
        body = snapshots.encode(memory)
        self._write(lambda connection: snapshots.store(connection, memory.seq, self._fold, body))

    def publish(self, document: bytes) -> None:
        """Replace the status document."""
        self._write(
            lambda connection: connection.execute(
                "INSERT INTO published VALUES (1, ?) ON CONFLICT DO UPDATE SET document = excluded.document",
                (document,),
            )
        )

    def published(self) -> bytes | None:
        """The status document last published, if any."""
        with self._read() as connection:
            row = connection.execute("SELECT document FROM published").fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        """Let go of the file; harmless when done before. Writes that are under way end first."""
        with self._reading:
            if self._is_closed:
                return
            self._is_closed = True
            self._reader.close()
        self._group.run(None)

    @contextlib.contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._reading, translated(self.path):
            if self._is_closed:
                raise self._closed()
            self._require_same_file()
            yield self._reader

    def _write(self, write: Write) -> None:
        if self._read_only:
            raise JournalError(f"journal {self.path}: it was opened for reading only")
        self._group.run(write)

    def _commit(self, writes: Sequence[Write | None]) -> Sequence[BaseException | None]:
        """Do all in one transaction; where that fails, each in its own, so that one cannot spoil another."""
        if self._is_closed:
            self._drop_writer()
            return [self._closed() if write else None for write in writes]
        wanted = [write for write in writes if write]
        try:
            with translated(self.path):
                self._transact(wanted)
        except JournalError as error:
            return [error] if len(writes) == 1 else [self._commit([write])[0] for write in writes]
        return [None] * len(writes)

    def _transact(self, writes: Sequence[Write]) -> None:
        self._require_same_file()
        if self._writer is None:
            self._writer = open_writer(self.path)
        connection = self._writer
        try:
            connection.execute("BEGIN IMMEDIATE")
            _run(connection, writes)
            connection.execute("COMMIT")
        except BaseException:
            # After an error of the disk nothing that this connection remembers may be trusted; closing
            # it also rolls back.
            self._drop_writer()
            raise

    def _drop_writer(self) -> None:
        if self._writer is not None:
            with contextlib.suppress(sqlite3.Error):
                self._writer.close()
            self._writer = None

    def _require_same_file(self) -> None:
        """Writes to a file that has lost its name would vanish, and reads of one never see news."""
        try:
            is_same = os.path.samestat(self.path.stat(), self._identity)
        except FileNotFoundError:
            is_same = False
        if not is_same:
            raise JournalError(
                f"journal {self.path}: the file was moved or removed while in use; "
                "put it back, or restart hive"
            )

    def _closed(self) -> JournalError:
        return JournalError(f"journal {self.path}: it is closed")


def _run(connection: sqlite3.Connection, writes: Sequence[Write]) -> None:
    """Run in order; the lines of appends that follow each other go in by one statement."""
    end = _end(connection)
    lines: list[tuple[int, str, int, str, str, str]] = []
    for write in writes:
        if isinstance(write, _Append):
            write.first = end + 1
            lines += [(seq, *line) for seq, line in enumerate(write.lines, write.first)]
            end += len(write.lines)
        else:
            _insert(connection, lines)
            lines = []
            write(connection)
    _insert(connection, lines)


def _insert(connection: sqlite3.Connection, lines: Sequence[tuple[int, str, int, str, str, str]]) -> None:
    if lines:
        connection.executemany("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)", lines)


def _end(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0])
