"""A journal among processes: readers beside a writer, a writer that is killed."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.facts.events import Noticed
from hive.shells.sqlite import SqliteJournal

AT = datetime(2026, 3, 4, tzinfo=UTC)
EVENT = Noticed(about="a", message="m")

WRITE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from hive.facts.events import Noticed
from hive.shells.sqlite import SqliteJournal
journal = SqliteJournal(Path(sys.argv[1]))
while True:
    written = journal.append([Noticed(about="a", message="m")] * 3, at=datetime(2026, 3, 4, tzinfo=UTC))
    print(written[-1].seq, flush=True)
"""


@contextmanager
def writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def confirmed(process: subprocess.Popen[str], at_least: int) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= at_least:
            return int(line)
    raise AssertionError("the writer ended")


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.parametrize("reads_first", [False, True], ids=["writer-recovers", "reader-recovers"])
@pytest.mark.parametrize("least", [3, 90, 1500])
def test_a_killed_writer_loses_nothing_that_it_confirmed(
    tmp_path: Path, least: int, reads_first: bool
) -> None:
    path = tmp_path / "journal.db"
    with writer(path) as process:
        confirmed(process, least)
        process.send_signal(signal.SIGKILL)
        assert process.stdout is not None
        last = max([least, *[int(line) for line in process.stdout.read().splitlines()[:-1]]])
    journal = SqliteJournal(path, read_only=reads_first)
    positions = [record.seq for record in journal.records()]
    journal.close()
    assert positions == list(range(1, len(positions) + 1))
    assert len(positions) >= last
    assert len(positions) % 3 == 0
    again = SqliteJournal(path)
    assert again.append([EVENT], at=AT)[0].seq == len(positions) + 1
    again.close()


def test_a_reader_follows_a_writer_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with writer(path) as process:
        confirmed(process, 3)
        reader = SqliteJournal(path, read_only=True)
        seen: list[int] = []
        while len(seen) < 300:
            before = reader.data_version()
            seen += [record.seq for record in reader.records(after=seen[-1] if seen else 0)]
            wait_for(lambda version=before: reader.data_version() != version)  # type: ignore[misc] # bound now
        reader.close()
    assert seen == list(range(1, len(seen) + 1))


def test_a_reader_that_stays_in_the_middle_keeps_no_writer_waiting(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    journal.append([EVENT] * 1200, at=AT)
    reader = SqliteJournal(path, read_only=True)
    reading = reader.records()
    assert next(reading).seq == 1
    start = time.monotonic()
    for _ in range(50):
        journal.append([EVENT] * 100, at=AT)
    assert time.monotonic() - start < 4
    # Nor does it keep the log from being folded into the file, so that it would grow without end.
    assert journal._writer is not None
    blocked, _, _ = journal._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert blocked == 0
    assert sum(1 for _ in reading) == 1200 + 5000 - 1
    reader.close()
    journal.close()


def test_the_data_version_changes_with_each_write_and_only_then(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "journal.db")
    reader = SqliteJournal(tmp_path / "journal.db", read_only=True)
    for document, asked in ((b"x", journal), (b"y", reader)):
        quiet = asked.data_version()
        assert asked.data_version() == quiet
        journal.append([EVENT], at=AT)
        changed = asked.data_version()
        assert changed != quiet
        journal.publish(document)
        assert asked.data_version() != changed
    reader.close()
    journal.close()


def test_what_another_process_wrote_meanwhile_leaves_no_gap(tmp_path: Path) -> None:
    one, other = SqliteJournal(tmp_path / "journal.db"), SqliteJournal(tmp_path / "journal.db")
    assert [journal.append([EVENT], at=AT)[0].seq for journal in (one, other, one, other)] == [1, 2, 3, 4]
    one.close()
    other.close()


def test_a_locked_journal_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hive.errors import JournalError

    monkeypatch.setattr("hive.shells.sqlite.connections.BUSY_SECONDS", 0.05)
    journal = SqliteJournal(tmp_path / "journal.db")
    other = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalError, match="another process keeps it locked; end the other one"):
        journal.append([EVENT], at=AT)
    other.execute("ROLLBACK")
    other.close()
    assert journal.append([EVENT], at=AT)[0].seq == 1
    journal.close()
