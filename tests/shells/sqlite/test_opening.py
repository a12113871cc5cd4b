"""Opening a journal: what is made, what is migrated, what is refused and in which words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.errors import JournalError
from hive.facts.events import Noticed, Record, encode
from hive.shells.sqlite import SqliteJournal
from hive.shells.sqlite.migrations import APPLICATION_ID, MIGRATIONS, VERSION, migrate

AT = datetime(2026, 3, 4, tzinfo=UTC)
EVENT = Noticed(about="a", message="m")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.db"


@contextlib.contextmanager
def opened(path: Path, *, read_only: bool = False) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(path, read_only=read_only)
    try:
        yield journal
    finally:
        journal.close()


def refusal(path: Path, *, read_only: bool = False) -> str:
    with pytest.raises(JournalError) as caught:
        SqliteJournal(path, read_only=read_only)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextlib.contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def test_a_new_journal_is_private_from_the_start(path: Path) -> None:
    umask = os.umask(0)
    try:
        with opened(path) as journal:
            journal.append([EVENT], at=AT)
            files = {file.name: mode(file) for file in path.parent.iterdir()}
    finally:
        os.umask(umask)
    assert files == {"journal.db": 0o600, "journal.db-wal": 0o600, "journal.db-shm": 0o600}
    assert mode(path.parent) == 0o700


def test_an_open_folder_and_file_are_closed_to_others(path: Path) -> None:
    with opened(path):
        pass
    path.chmod(0o644)
    path.parent.chmod(0o755)
    with opened(path):
        assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_writes_are_durable_by_the_databases_own_settings(path: Path) -> None:
    with opened(path) as journal:
        assert journal._writer is not None
        settings = [
            journal._writer.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert settings == ["wal", 2]


def test_two_that_make_the_same_journal_at_once_share_it(path: Path) -> None:
    journals: list[SqliteJournal] = []
    threads = [threading.Thread(target=lambda: journals.append(SqliteJournal(path))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for journal in journals:
        journal.append([EVENT], at=AT)
    assert [record.seq for record in journals[0].records()] == [1, 2, 3, 4, 5, 6]
    for journal in journals:
        journal.close()
    assert [file.name for file in path.parent.iterdir()] == ["journal.db"]


def test_a_path_with_odd_characters_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=memory&b#c %41" / "jörnal ü.db"
    with opened(path) as journal:
        journal.append([EVENT], at=AT)
    assert path.stat().st_size > 0
    with opened(path, read_only=True) as journal:
        assert journal.last_seq() == 1


def test_reading_where_no_journal_is_says_so_and_makes_none(path: Path) -> None:
    assert "there is none yet; start `hive run`" in refusal(path, read_only=True)
    assert not path.parent.exists()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("content", [b"junk", b"junk" * 5000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_journal_is_refused_and_kept(path: Path, content: bytes, read_only: bool) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_bytes(content)
    assert "this is not a journal" in refusal(path, read_only=read_only)
    assert path.read_bytes() == content


def test_a_journal_cut_to_nothing_is_refused_rather_than_begun_anew(path: Path) -> None:
    with opened(path):
        pass
    path.write_bytes(b"")
    assert "its records are lost" in refusal(path)
    assert "its records are lost" in refusal(path, read_only=True)
    assert path.read_bytes() == b""


def test_a_journal_cut_short_is_refused_before_it_is_believed(path: Path) -> None:
    with opened(path) as journal:
        journal.append([Noticed(about="a", message="m" * 1000)] * 100, at=AT)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with (
        pytest.raises(JournalError, match=r"the file is damaged; restore it from a backup"),
        opened(path) as journal,
    ):
        list(journal.records())


def test_a_record_that_cannot_be_read_is_named(path: Path) -> None:
    with opened(path) as journal:
        journal.append([EVENT], at=AT)
    with raw(path) as connection:
        connection.execute(
            "INSERT INTO journal VALUES (2, '2026-03-04T00:00:00+00:00', 0, 'x', 'a', '{\"kind\":\"x\"}')"
        )
    with (
        opened(path) as journal,
        pytest.raises(JournalError, match=r"record 2 cannot be read: .*another version"),
    ):
        list(journal.records())


def test_a_hole_in_the_records_is_noticed(path: Path) -> None:
    with opened(path) as journal:
        journal.append([EVENT] * 5, at=AT)
    with raw(path) as connection:
        connection.execute("DROP TRIGGER journal_is_never_deleted")
        connection.execute("DELETE FROM journal WHERE seq = 3")
    with opened(path) as journal, pytest.raises(JournalError, match="records are missing after 0"):
        list(journal.records())


def test_a_database_of_something_else_is_refused_and_kept(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    with raw(path) as connection:
        connection.execute("CREATE TABLE other (x)")
    assert "database of something else" in refusal(path)
    assert "database of something else" in refusal(path, read_only=True)
    with raw(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("other",)]


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_is_refused_with_both_versions(path: Path, read_only: bool) -> None:
    with opened(path):
        pass
    with raw(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 5}")
    message = refusal(path, read_only=read_only)
    assert (
        f"has schema {VERSION + 5}, this hive knows schemas up to {VERSION}; install a newer hive" in message
    )


def write_schema(path: Path, version: int, lines: int = 0) -> None:
    """A journal as the program of that schema version left it."""
    path.parent.mkdir(mode=0o700)
    with raw(path) as connection:
        for step in MIGRATIONS[:version]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        if version:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for seq in range(1, lines + 1):
            row = (seq, AT.isoformat(timespec="microseconds"), 0, "noticed", "a", encode(EVENT).decode())
            connection.execute("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)", row)
        connection.execute("VACUUM")


def schema(path: Path) -> tuple[int, list[tuple[str, str]]]:
    with raw(path) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        return version, connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


@pytest.mark.parametrize(("version", "lines"), [(0, 0), (1, 3)])
def test_an_older_schema_is_migrated_and_keeps_its_records(path: Path, version: int, lines: int) -> None:
    write_schema(path, version, lines)
    with opened(path) as journal:
        assert list(journal.records()) == [Record(seq, AT, 0, EVENT) for seq in range(1, lines + 1)]
        assert journal.append([EVENT], at=AT)[0].seq == lines + 1
        journal.publish(b"x")
    with opened(path.parent.parent / "new" / "journal.db"):
        pass
    assert schema(path) == schema(path.parent.parent / "new" / "journal.db")


def test_a_reader_does_not_migrate(path: Path) -> None:
    write_schema(path, 1, 1)
    before = path.read_bytes()
    assert f"has schema 1, this hive reads {VERSION}; `hive run` migrates it" in refusal(path, read_only=True)
    assert path.read_bytes() == before


def test_a_migration_that_fails_half_way_leaves_the_old_schema(path: Path) -> None:
    write_schema(path, 1, 2)
    before = schema(path)
    with raw(path) as connection, pytest.raises(sqlite3.Error, match="syntax"):
        migrate(connection, path, [*MIGRATIONS, ("CREATE TABLE half (x)", "NO SUCH STATEMENT")])
    assert schema(path) == before
    with opened(path) as journal:
        assert journal.last_seq() == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET body = '{}' WHERE seq = 1",
        "DELETE FROM journal WHERE seq = 2",
        "DELETE FROM journal",
        "INSERT OR REPLACE INTO journal SELECT 1, at, tick, kind, subject, '{}' FROM journal WHERE seq = 2",
        "INSERT INTO journal SELECT 4, at, tick, kind, subject, body FROM journal WHERE seq = 2",
        "INSERT INTO journal (at, tick, kind, subject, body) VALUES ('', 0, '', '', '')",
        "UPDATE OR REPLACE journal SET seq = 1 WHERE seq = 2",
    ],
)
def test_the_file_itself_refuses_changes_of_the_past(path: Path, statement: str) -> None:
    with opened(path) as journal:
        written = journal.append([EVENT, Noticed(about="b", message="n")], at=AT)
        with raw(path) as connection, pytest.raises(sqlite3.IntegrityError, match=r"append-only|no gaps"):
            connection.execute(statement)
        assert tuple(journal.records()) == written


def test_a_reader_cannot_write(path: Path) -> None:
    with opened(path), opened(path, read_only=True) as reader:
        for attempt in (lambda: reader.append([EVENT], at=AT), lambda: reader.publish(b"")):
            with pytest.raises(JournalError, match="opened for reading only"):
                attempt()


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_journal_that_loses_its_name_stops_writing_and_reading(path: Path, is_replaced: bool) -> None:
    with opened(path) as journal:
        journal.append([EVENT], at=AT)
        kept = path.rename(path.with_name("kept.db"))
        if is_replaced:
            path.write_bytes(kept.read_bytes())
        attempts: list[Callable[[], object]] = [
            lambda: journal.append([EVENT], at=AT),
            lambda: journal.newest(1),
        ]
        for attempt in attempts:
            with pytest.raises(JournalError, match="moved or removed while in use"):
                attempt()
        path.unlink(missing_ok=True)
        kept.rename(path)
        assert journal.append([EVENT], at=AT)[0].seq == 2
