"""Stored memories, so that a start does not read the whole history; never trusted beyond doubt.

A snapshot is only a shortcut: whatever is odd about one, the journal behind it gives the same answer.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sqlite3

import msgspec

from hive.facts.memory import Memory

KEPT = 3
"""Chosen: one in use, one before it in case it cannot be read, one for an older hive to return to."""


def encode(memory: Memory) -> bytes:
    """One memory as JSON."""
    return msgspec.json.encode(memory)


@functools.cache
def memory_format(fold: str = "") -> str:
    """Name of the shape of `Memory`, and of the fold that filled it: changes when either changes."""
    schema = _without_prose(msgspec.json.schema(Memory))
    return hashlib.sha256(json.dumps([fold, schema], sort_keys=True).encode()).hexdigest()[:16]


def _without_prose(schema: object) -> object:
    """Docstrings are part of the schema, and no reason to read the history again."""
    if isinstance(schema, dict):
        return {
            key: _without_prose(part)
            for key, part in schema.items()
            if not (key == "description" and isinstance(part, str))
        }
    return [_without_prose(part) for part in schema] if isinstance(schema, list) else schema


def newest(connection: sqlite3.Connection, fold: str) -> Memory | None:
    """The newest memory of this format that the journal reaches and that can be read."""
    found = connection.execute(
        """SELECT body FROM snapshot
        WHERE format = ? AND seq <= (SELECT coalesce(max(seq), 0) FROM journal) ORDER BY seq DESC""",
        (memory_format(fold),),
    )
    for (body,) in found.fetchall():
        try:
            return msgspec.json.decode(body, type=Memory)
        except msgspec.DecodeError:
            continue
    return None


def store(connection: sqlite3.Connection, seq: int, fold: str, body: bytes) -> None:
    """Keep one and the newest others; one beyond the journal's end is dropped: it tells of nothing here."""
    connection.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)", (seq, memory_format(fold), body))
    connection.execute("DELETE FROM snapshot WHERE seq > (SELECT coalesce(max(seq), 0) FROM journal)")
    connection.execute(
        "DELETE FROM snapshot WHERE seq NOT IN (SELECT seq FROM snapshot ORDER BY seq DESC LIMIT ?)", (KEPT,)
    )
