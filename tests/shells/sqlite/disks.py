"""Disks that fail for real: run as a program, it fills, limits or write-protects one under a living journal.

``python -m tests.shells.sqlite.disks SCENARIO FOLDER`` prints what happened, one line a step, then ``ok``.
The scenarios that mount run under ``unshare --mount``, so that nothing outside sees it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from hive.errors import JournalError
from hive.facts.events import Noticed
from hive.shells.sqlite import SqliteJournal

AT = datetime(2026, 3, 4, tzinfo=UTC)
EVENT = Noticed(about="a", message="m" * 2000)


def _failure(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except JournalError as error:
        return str(error)
    raise AssertionError("it did not fail")


def _append_until_failure(journal: SqliteJournal) -> int:
    """Append three at a time until it fails; return how many records were confirmed."""
    confirmed = journal.last_seq()
    for _ in range(10_000):
        try:
            confirmed = journal.append([EVENT] * 3, at=AT)[-1].seq
        except JournalError as error:
            print(error)
            return confirmed
    raise AssertionError("it did not fail")


def _require_whole(journal: SqliteJournal, count: int) -> None:
    """As many records as were confirmed, none of a refused group, and writing works again."""
    assert [record.seq for record in journal.records()] == list(range(1, count + 1))
    assert journal.append([EVENT], at=AT)[0].seq == count + 1
    journal.close()
    reader = SqliteJournal(journal.path, read_only=True)
    assert [record.seq for record in reader.records()] == list(range(1, count + 2))
    reader.close()


def full(folder: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    journal = SqliteJournal(folder / "journal.db")
    journal.append([EVENT], at=AT)
    ballast = folder / "ballast"
    ballast.write_bytes(b"x" * 300_000)
    count = _append_until_failure(journal)
    print(_failure(lambda: journal.append([EVENT], at=AT)))
    assert [record.seq for record in journal.records()] == list(range(1, count + 1))
    ballast.unlink()
    _require_whole(journal, count)


def full_from_the_start(folder: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder], check=True)
    print(_failure(lambda: SqliteJournal(folder / "journal.db")))
    assert list(folder.iterdir()) == [], list(folder.iterdir())


def write_protected(folder: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    print(_failure(lambda: SqliteJournal(folder / "journal.db")))
    subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
    journal = SqliteJournal(folder / "journal.db")
    journal.append([EVENT], at=AT)
    journal.close()
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    print(_failure(lambda: SqliteJournal(folder / "journal.db")))
    reader = SqliteJournal(folder / "journal.db", read_only=True)
    assert reader.last_seq() == 1
    reader.close()
    subprocess.run(["mount", "-o", "remount,rw", folder], check=True)
    _require_whole(SqliteJournal(folder / "journal.db"), 1)


def write_protected_after_a_kill(folder: Path) -> None:
    """A log without a writer, on a disk that nobody may write: read whole, or refused in words."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
    child = os.fork()
    if child == 0:
        SqliteJournal(folder / "journal.db").append([EVENT] * 3, at=AT)
        os._exit(0)
    os.waitpid(child, 0)
    assert (folder / "journal.db-wal").stat().st_size > 0
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    try:
        reader = SqliteJournal(folder / "journal.db", read_only=True)
    except JournalError as error:
        print(error)
    else:
        print("read", reader.last_seq())
        reader.close()


def limited(folder: Path) -> None:
    journal = SqliteJournal(folder / "journal.db")
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    count = _append_until_failure(journal)
    print(_failure(lambda: journal.append([EVENT] * 100, at=AT)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    _require_whole(journal, count)


SCENARIOS = {
    scenario.__name__: scenario
    for scenario in (full, full_from_the_start, write_protected, write_protected_after_a_kill, limited)
}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]](Path(sys.argv[2]))
    print("ok")
