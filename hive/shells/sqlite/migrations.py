"""The journal's schema, as the steps that lead to it. A step that was released is never edited.

`PRAGMA user_version` counts the steps taken, `PRAGMA application_id` says that the file is a journal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from hive.errors import JournalError

APPLICATION_ID = 0x68697665
"""``hive`` in ASCII."""

_JOURNAL = (
    """CREATE TABLE journal (
        seq INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        tick INTEGER NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT""",
    # Orders equal subjects by `seq`, as SQLite appends the rowid. GitHub ignores the case of owners and
    # repositories; where case counts, the query says so.
    "CREATE INDEX journal_subject ON journal (subject COLLATE NOCASE)",
    """CREATE TRIGGER journal_is_never_updated BEFORE UPDATE ON journal
        BEGIN SELECT raise(ABORT, 'the journal is append-only'); END""",
    """CREATE TRIGGER journal_is_never_deleted BEFORE DELETE ON journal
        BEGIN SELECT raise(ABORT, 'the journal is append-only'); END""",
    # Refuses gaps, and REPLACE, which deletes without asking the trigger above.
    """CREATE TRIGGER journal_has_no_gaps BEFORE INSERT ON journal
        WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM journal)
        BEGIN SELECT raise(ABORT, 'the journal has no gaps'); END""",
)

_READERS_AND_RESTARTS = (
    "CREATE TABLE snapshot (seq INTEGER PRIMARY KEY, format TEXT NOT NULL, body BLOB NOT NULL) STRICT",
    "CREATE TABLE published (id INTEGER PRIMARY KEY CHECK (id = 1), document BLOB NOT NULL) STRICT",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_JOURNAL, _READERS_AND_RESTARTS)
VERSION = len(MIGRATIONS)


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring the file to the newest schema in one transaction, or leave it as it was.

    Raises `JournalError` for a schema newer than this program's and for a database of something else.
    """
    if _version(connection, path, len(migrations)) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Asked again under the lock: another process may have migrated meanwhile.
        for step in migrations[_version(connection, path, len(migrations)) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def require_current(connection: sqlite3.Connection, path: Path) -> None:
    """For readers, who cannot migrate. Raises `JournalError` for any schema but this program's."""
    version = _version(connection, path, VERSION)
    if version < VERSION:
        raise JournalError(
            f"journal {path}: has schema {version}, this hive reads {VERSION}; `hive run` migrates it"
        )


def _version(connection: sqlite3.Connection, path: Path, known: int) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    owner = int(connection.execute("PRAGMA application_id").fetchone()[0])
    is_empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if owner != APPLICATION_ID and not (is_empty and version == 0 and owner == 0):
        raise JournalError(
            f"journal {path}: this is an SQLite database of something else; choose another state folder"
        )
    if version > known:
        raise JournalError(
            f"journal {path}: has schema {version}, this hive knows schemas up to {known}; "
            "install a newer hive or choose another state folder"
        )
    return version
