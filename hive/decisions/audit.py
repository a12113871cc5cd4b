"""The journal as lines of JSON, each bound to all before it by a hash, and the check of such lines.

A line is ``{"seq": 7, "at": "…", "tick": 3, "event": {"kind": …}, "hash": "…"}``. Its hash is SHA-256 of
the hash of the line before, a newline, and the line itself without ``,"hash":"…"``. The first line names
the form, the last one tells how many records there are, so that a file that was cut shows it. Who keeps
the last hash elsewhere can tell later that nothing was changed, taken out or put in, by hive's operator
neither; the same journal always gives the same lines.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC

import msgspec

from hive.facts.events import Record, encode

_FIRST = b'{"audit":1}'
_LINE = re.compile(rb'(\{.*),"hash":"([0-9a-f]{64})"\}')
_START = "0" * 64
_LONGEST = 64 * 1024 * 1024
"""Bytes of a line: more than any event has."""


@dataclass(frozen=True, slots=True)
class Check:
    """What came of a check.

    Attributes:
        records: Good ones, from the first on.
        head: The hash of the last good line.
        line: The first bad one, from 1; `None` where all are good.
        problem: What is wrong with it.
    """

    records: int
    head: str
    line: int | None = None
    problem: str | None = None


def lines(records: Iterable[Record]) -> Iterator[bytes]:
    """The lines of an export, each with its newline. `records` are all of a journal, in order."""
    head, count = _START, 0
    head, line = _bound(head, _FIRST)
    yield line
    for record in records:
        head, line = _bound(head, _body(record))
        count += 1
        yield line
    yield _bound(head, b'{"end":true,"records":%d}' % count)[1]


def _body(record: Record) -> bytes:
    at = record.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return b'{"seq":%d,"at":"%b","tick":%d,"event":%b}' % (
        record.seq,
        at.encode(),
        record.tick,
        encode(record.event),
    )


def _bound(head: str, body: bytes) -> tuple[str, bytes]:
    """The hash of a line, and the line with it and its newline."""
    digest = _hash(head, body)
    return digest, b'%b,"hash":"%b"}\n' % (body[:-1], digest.encode())


def _hash(head: str, body: bytes) -> str:
    return hashlib.sha256(head.encode() + b"\n" + body).hexdigest()


class _Bad(Exception):
    """What is wrong with a line."""


def check(exported: Iterable[bytes], journal: Iterable[Record] | None = None) -> Check:
    """Check the lines of an export, and where `journal` is given (all its records, in order) that it still
    has the same ones; what was recorded since does not matter."""
    reading = _Reading(iter(journal) if journal is not None else None)
    good = 0
    try:
        for line in exported:
            reading.take(line.removesuffix(b"\n"))
            good += 1
        reading.end()
    except _Bad as bad:
        return Check(reading.records, reading.head, good + 1, str(bad))
    return Check(reading.records, reading.head)


class _Reading:
    def __init__(self, journal: Iterator[Record] | None) -> None:
        self.head = _START
        self.records = 0
        self._journal = journal
        self._has_begun = self._has_ended = False

    def take(self, line: bytes) -> None:
        """One more line. Raises `_Bad`."""
        if self._has_ended:
            raise _Bad("it stands after the end of the export")
        body, digest = _parts(line)
        if not self._has_begun and body != _FIRST:
            raise _Bad("it does not begin an export of `hive audit`")
        if digest != _hash(self.head, body):
            raise _Bad("it was changed, or one before it was taken out or put in")
        if self._has_begun:
            self._count(body)
        self.head, self._has_begun = digest, True

    def _count(self, body: bytes) -> None:
        try:
            value = msgspec.json.decode(body, type=dict[str, object])
        except msgspec.DecodeError:
            raise _Bad("it is no JSON") from None
        if "end" in value:
            if value.get("records") != self.records:
                raise _Bad(f"it tells of {value.get('records')} records where there are {self.records}")
            self._has_ended = True
            return
        if value.get("seq") != self.records + 1:
            raise _Bad(f"record {self.records + 1} is missing before it")
        self._compare(body)
        self.records += 1

    def _compare(self, body: bytes) -> None:
        if self._journal is None:
            return
        kept = next(self._journal, None)
        if kept is None:
            raise _Bad(f"the journal has no record {self.records + 1} any more")
        if _body(kept) != body:
            raise _Bad(f"record {self.records + 1} is another one in the journal")

    def end(self) -> None:
        """Raises `_Bad` where lines are missing."""
        if not self._has_ended:
            raise _Bad("it is missing: the export was cut off")


def _parts(line: bytes) -> tuple[bytes, str]:
    found = _LINE.fullmatch(line) if len(line) <= _LONGEST else None
    if found is None:
        raise _Bad("it is no line of an export of `hive audit`")
    return found[1] + b"}", found[2].decode()
