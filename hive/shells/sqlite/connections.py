"""Opening the journal's file: whole or not at all, private, durable; beside a living or a dead writer."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import urllib.parse
from pathlib import Path

from hive.errors import JournalError
from hive.shells.sqlite.migrations import migrate, require_current
from hive.shells.system.files import FILE_MODE, private_folder, sync_folder

BUSY_SECONDS = 5.0
"""Chosen: longer than any commit or recovery, shorter than an operator's patience."""


def open_writer(path: Path) -> sqlite3.Connection:
    """Open, making or migrating the file where needed.

    Raises `JournalError`, `sqlite3.Error`, `OSError`.
    """
    private_folder(path.parent)
    if not path.exists():
        _create(path)
    _require_content(path)
    path.chmod(FILE_MODE)
    connection = _connect(path, "rw")
    try:
        _make_durable(connection)
        migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """Open an existing file for reading; never makes or migrates one, never keeps the writer waiting.

    Raises `JournalError`, `sqlite3.Error`.
    """
    if not path.exists():
        raise JournalError(f"journal {path}: there is none yet; start `hive run`, or name its state folder")
    _require_content(path)
    failure: sqlite3.Error | None = None
    for mode in _reader_modes(path):
        try:
            connection = _connect(path, mode)
        except sqlite3.Error as error:
            failure = failure or error
            continue
        try:
            connection.execute("PRAGMA query_only = ON")
            require_current(connection, path)
        except sqlite3.Error as error:
            connection.close()
            failure = failure or error
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    assert failure is not None
    raise failure


def _reader_modes(path: Path) -> tuple[str, ...]:
    """In the order to try.

    The log of a writer that was killed must be recovered, which takes a connection that may write; it is
    kept from writing anything else by `query_only`. Who may not write at all reads beside a living writer,
    or, where no log lies beside the file (a backup, a read-only mount), the file alone.
    """
    log = path.with_name(path.name + "-wal")
    has_log = log.exists() and log.stat().st_size > 0
    return ("rw", "ro") if has_log else ("rw", "ro", "ro&immutable=1")


def _require_content(path: Path) -> None:
    # Hive never leaves an empty file: so it was cut, and an audit log must not start anew unasked.
    if path.stat().st_size == 0:
        raise JournalError(
            f"journal {path}: the file is empty, so its records are lost; "
            "restore it from a backup, or remove it to start a new one"
        )


def _create(path: Path) -> None:
    """Build the file beside its place and move it there, so that `path` is never half a journal."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    os.close(descriptor)
    draft = Path(name)
    try:
        with contextlib.closing(_connect(draft, "rw")) as connection:
            _make_durable(connection)
            migrate(connection, path)
        # A link and not a rename: when another process was faster, its journal stays.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        sync_folder(path.parent)
    finally:
        for suffix in ("", "-wal", "-shm"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    # autocommit: every transaction is begun and ended in words. Threads: callers take turns (see journal).
    address = f"file:{urllib.parse.quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _make_durable(connection: sqlite3.Connection) -> None:
    kind = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if kind != "wal":
        raise JournalError(
            f"the file system offers no shared memory for SQLite's WAL (got {kind}); use a local disk"
        )
    connection.execute("PRAGMA synchronous = FULL")
    # A reader that stays long makes the log grow; give the space back afterwards.
    connection.execute(f"PRAGMA journal_size_limit = {64 * 1024 * 1024}")
