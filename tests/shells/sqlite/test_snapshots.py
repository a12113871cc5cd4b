"""Snapshots: a shortcut that is left aside whenever it is in doubt."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.facts.events import Noticed
from hive.facts.memory import Memory
from hive.shells.sqlite import SqliteJournal, snapshots

AT = datetime(2026, 3, 4, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(path)
    journal.append([Noticed(about="a", message="m")] * 20, at=AT)
    yield journal
    journal.close()


def execute(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def test_only_the_newest_three_are_kept(journal: SqliteJournal, path: Path) -> None:
    for seq in (1, 5, 3, 9, 7, 2):
        journal.store_snapshot(Memory(seq=seq))
    assert execute(path, "SELECT seq FROM snapshot ORDER BY seq") == [(5,), (7,), (9,)]


def test_one_that_cannot_be_read_gives_way_to_the_one_before(journal: SqliteJournal, path: Path) -> None:
    journal.store_snapshot(Memory(seq=4))
    journal.store_snapshot(Memory(seq=8))
    execute(path, "UPDATE snapshot SET body = x'7b' WHERE seq = 8")
    assert journal.snapshot() == Memory(seq=4)


def test_one_beyond_a_journal_that_was_put_back_from_a_backup_is_ignored(
    journal: SqliteJournal, path: Path
) -> None:
    journal.store_snapshot(Memory(seq=4))
    body = snapshots.encode(Memory(seq=21)).decode()
    execute(path, f"INSERT INTO snapshot VALUES (21, '{snapshots.memory_format()}', CAST('{body}' AS BLOB))")
    assert journal.snapshot() == Memory(seq=4)
    journal.store_snapshot(Memory(seq=5))
    assert execute(path, "SELECT seq FROM snapshot ORDER BY seq") == [(4,), (5,)]


def test_one_of_another_shape_of_memory_is_not_misread(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True, slots=True)
    class Wider:
        seq: int = 0
        level: int | None = None
        extra: dict[str, int] = field(default_factory=dict)

    journal.store_snapshot(Memory(seq=4))
    snapshots.memory_format.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(snapshots, "Memory", Wider)
        assert journal.snapshot() is None
    snapshots.memory_format.cache_clear()
    assert journal.snapshot() == Memory(seq=4)


def test_one_of_another_fold_is_not_offered(journal: SqliteJournal, path: Path) -> None:
    journal.store_snapshot(Memory(seq=4))
    other = SqliteJournal(path, read_only=True, fold="2")
    assert other.snapshot() is None
    other.close()


def test_prose_does_not_change_the_format() -> None:
    described = {
        "description": "a",
        "properties": {"description": {"type": "string", "description": "b"}},
        "x": [1],
    }
    plain = {"properties": {"description": {"type": "string"}}, "x": [1]}
    assert snapshots._without_prose(described) == plain
