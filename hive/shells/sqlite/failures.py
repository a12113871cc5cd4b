"""What SQLite says when it fails, in words that help: which file, what happened, what to do."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from hive.errors import JournalError

# By prefix of SQLite's result names (sqlite.org/rescode.html); the first that fits counts.
_REMEDIES = (
    ("SQLITE_FULL", "no space is left for it; free space on its file system"),
    ("SQLITE_NOTADB", "this is not a journal; put the right file back or choose another state folder"),
    ("SQLITE_CORRUPT", "the file is damaged; restore it from a backup, or move it away to start a new one"),
    (
        "SQLITE_READONLY_RECOVERY",
        "its writer died and only one who may write can recover it; start `hive run`",
    ),
    (
        "SQLITE_READONLY_CANTINIT",
        "its writer died and only one who may write can recover it; start `hive run`",
    ),
    ("SQLITE_READONLY_DBMOVED", "the file was moved or removed while in use; restart hive"),
    ("SQLITE_READONLY", "it cannot be written; check owner, mode and mount of its folder"),
    ("SQLITE_PERM", "it cannot be written; check owner, mode and mount of its folder"),
    ("SQLITE_CANTOPEN", "it cannot be opened; check owner, mode and mount of its folder"),
    (
        "SQLITE_IOERR",
        "the disk gave an error; check its space, its quota, the limit on file size, and its health",
    ),
    ("SQLITE_BUSY", "another process keeps it locked; end the other one"),
    ("SQLITE_PROTOCOL", "another process keeps it locked; end the other one"),
)


def explained(path: Path, error: sqlite3.Error) -> JournalError:
    """One line: the file, SQLite's own words and result name, the remedy."""
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    remedy = next(
        (remedy for prefix, remedy in _REMEDIES if name.startswith(prefix)), "see the SQLite result name"
    )
    return JournalError(f"journal {path}: {error} ({name}): {remedy}")


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn every SQLite and system error of the block into a `JournalError` that names `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise explained(path, error) from error
    except OSError as error:
        raise JournalError(f"journal {path}: {error.strerror}; check the file and its folder") from error
