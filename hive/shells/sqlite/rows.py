"""Between records and rows: the form of a journal line, and how many of them are read at once, fast."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from hive.errors import JournalError
from hive.facts.events import Event, Record, decode, encode, kind_of

Row = tuple[str, int, str, str, str]
"""at, tick, kind, subject, body: a journal line before it has its `seq`."""

_RECORDS: msgspec.json.Decoder[list[Record]] = msgspec.json.Decoder(list[Record])
# One JSON array of whole records per page lets msgspec build the records too: replaying a million events
# took 1.2 times the bare decoding of their bodies, and 2.8 times with a Python constructor call for each.
_AS_JSON = """SELECT group_concat('{"seq":' || seq || ',"at":"' || at || '","tick":' || tick ||
    ',"event":' || body || '}') FROM """
_REPOSITORY_SUBJECT = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(#[0-9]+)?")


def as_rows(events: Sequence[Event], at: datetime, tick: int) -> tuple[tuple[Event, ...], list[Row]]:
    """Return what will be recorded of `events` and its rows.

    The events come back as they were, save for lone surrogates, which are no text that UTF-8 can hold (JSON
    from outside may contain them): those become U+FFFD. Raises `ValueError` when `at` has no time zone.
    """
    when = utc(at).isoformat(timespec="microseconds")
    kept, rows = [], []
    for event in events:
        try:
            body, recorded = encode(event), event
        except UnicodeEncodeError:
            recorded = _without_surrogates(event)
            body = encode(recorded)
        kept.append(recorded)
        rows.append((when, tick, kind_of(recorded), recorded.subject, body.decode()))
    return tuple(kept), rows


def utc(at: datetime) -> datetime:
    """`at` as it is recorded. Raises `ValueError` when it has no time zone."""
    if at.tzinfo is None:
        raise ValueError("`at` must be aware")
    return at.astimezone(UTC)


def _without_surrogates(event: Event) -> Event:
    return decode(_storable(json.dumps(msgspec.to_builtins(event), ensure_ascii=False)))


def _storable(text: str) -> str:
    """`text` with lone surrogates replaced and pairs of them joined."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def page(connection: sqlite3.Connection, path: Path, *, after: int, size: int) -> list[Record]:
    """Up to `size` records above `after`, in order. Raises `JournalError` when one is missing or odd."""
    source = "(SELECT seq, at, tick, body FROM journal WHERE seq > ? ORDER BY seq LIMIT ?)"
    records = _read(connection, path, source, (after, size))
    if records and (records[0].seq != after + 1 or records[-1].seq != after + len(records)):
        raise JournalError(
            f"journal {path}: damaged: records are missing after {after}; restore it from a backup"
        )
    return records


def newest(connection: sqlite3.Connection, path: Path, *, limit: int) -> list[Record]:
    """The last `limit` records, oldest first."""
    source = "(SELECT seq, at, tick, body FROM journal ORDER BY seq DESC LIMIT ?)"
    return sorted(_read(connection, path, source, (limit,)), key=lambda record: record.seq)


def about(connection: sqlite3.Connection, path: Path, subject: str, *, limit: int) -> list[Record]:
    """The last `limit` records on `subject`, oldest first; case counts except in names of repositories."""
    exactly = "" if _REPOSITORY_SUBJECT.fullmatch(subject) else "AND subject = ?2 COLLATE BINARY"
    source = f"""(SELECT seq, at, tick, body FROM journal WHERE subject = ?2 COLLATE NOCASE {exactly}
        ORDER BY seq DESC LIMIT ?1)"""  # noqa: S608 - no outside text goes into it
    found = _read(connection, path, source, (limit, _storable(subject)))
    return sorted(found, key=lambda record: record.seq)


def _read(
    connection: sqlite3.Connection, path: Path, source: str, values: tuple[int | str, ...]
) -> list[Record]:
    joined = connection.execute(_AS_JSON + source, values).fetchone()[0]
    if joined is None:
        return []
    try:
        return _RECORDS.decode(f"[{joined}]")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [_one(path, row) for row in connection.execute(f"SELECT * FROM {source}", values)]  # noqa: S608


def _one(path: Path, row: tuple[int, str, int, str]) -> Record:
    seq, at, tick, body = row
    try:
        return Record(seq=seq, at=datetime.fromisoformat(at), tick=tick, event=decode(body))
    except (msgspec.DecodeError, ValueError) as error:
        raise JournalError(
            f"journal {path}: record {seq} cannot be read: {error}; "
            "it was written by another version of hive, or the file is damaged"
        ) from error
