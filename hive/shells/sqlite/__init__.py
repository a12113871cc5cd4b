"""The journal in one SQLite file, and the lock on the folder that holds it.

Law: what `append` returned is on the disk; what it refused left no trace.
"""

from hive.shells.sqlite.journal import SqliteJournal
from hive.shells.sqlite.lock import StateLock

__all__ = ["SqliteJournal", "StateLock"]
