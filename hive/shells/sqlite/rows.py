"""Between records and rows: the form of a journal line, and how many of them are read at once, fast."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from hive.errors import JournalError
from hive.facts.events import Event, Record, decode, encode, kind_of

Row = tuple[str, int, str, str, str]
"""at, tick, kind, subject, body: a journal line before it has its `seq`."""

Found = tuple[int, str, int, str]
"""seq, at, tick, body: what is read of one."""

_decode = msgspec.json.Decoder[Event](Event).decode
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


def page(connection: sqlite3.Connection, path: Path, *, after: int, size: int) -> list[Found]:
    """Up to `size` lines above `after`, in order. Raises `JournalError` when one is missing."""
    found = connection.execute(
        "SELECT seq, at, tick, body FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", (after, size)
    ).fetchall()
    if found and (found[0][0] != after + 1 or found[-1][0] != after + len(found)):
        raise JournalError(
            f"journal {path}: damaged: records are missing after {after}; restore it from a backup"
        )
    return found


def newest(connection: sqlite3.Connection, path: Path, *, limit: int) -> list[Record]:
    """The last `limit` records, oldest first."""
    found = connection.execute("SELECT seq, at, tick, body FROM journal ORDER BY seq DESC LIMIT ?", (limit,))
    return list(as_records(path, found.fetchall()[::-1]))


def about(
    connection: sqlite3.Connection, path: Path, subject: str, *, limit: int, without: Sequence[str] = ()
) -> list[Record]:
    """The last `limit` records on `subject`, oldest first, none of a kind in `without`; case counts except in
    names of repositories."""
    is_exact = not _REPOSITORY_SUBJECT.fullmatch(subject)
    found = connection.execute(
        """SELECT seq, at, tick, body FROM journal
        WHERE subject = ?1 COLLATE NOCASE AND (NOT ?2 OR subject = ?1 COLLATE BINARY)
        AND kind NOT IN (SELECT value FROM json_each(?4))
        ORDER BY seq DESC LIMIT ?3""",
        (_storable(subject), is_exact, limit, json.dumps(list(without))),
    )
    return list(as_records(path, found.fetchall()[::-1]))


class _Moments(dict[str, datetime]):
    """Times already read: what was appended together has one."""

    def __missing__(self, text: str) -> datetime:
        moment = self[text] = datetime.fromisoformat(text)
        return moment


def as_records(path: Path, found: Sequence[Found]) -> Iterator[Record]:
    """Read lines one by one as they are asked for. Raises `JournalError` naming one that cannot be read."""
    if not found:
        return
    seqs, times, ticks, bodies = zip(*found, strict=True)
    try:
        # Column by column, so that no line of Python runs per record, and one at a time, so that a record
        # which is folded and forgotten leaves its memory, still in the cache, to the next.
        yield from map(Record, seqs, map(_Moments().__getitem__, times), ticks, map(_decode, bodies))
    except ValueError:  # which msgspec's errors are, too
        for row in found:
            _require_readable(path, row)
        raise


def _require_readable(path: Path, row: Found) -> None:
    seq, at, _, body = row
    try:
        datetime.fromisoformat(at)
        _decode(body)
    except ValueError as error:
        raise JournalError(
            f"journal {path}: record {seq} cannot be read: {error}; "
            "it was written by another version of hive, or the file is damaged"
        ) from error
