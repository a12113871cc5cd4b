"""Incidents for the status document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.instants import iso
from hive.decisions.redaction import redact
from hive.facts.incidents import Incident
from hive.facts.memory import Memory

_OVER = 20
"""Notes and closed ones that are shown: the newest."""


def incident_rows(memory: Memory) -> Iterator[dict[str, Any]]:
    """Open ones, oldest first, then the newest of those that stop nothing: notes and closed ones."""
    known = sorted(memory.incidents.values(), key=lambda one: (one.at, one.id))
    yield from (_row(one) for one in known if one.is_open)
    over = [one for one in known if not one.is_open]
    yield from (_row(one) for one in reversed(over[-_OVER:]))


def _row(one: Incident) -> dict[str, Any]:
    return {
        "id": one.id,
        "state": "note" if one.is_note else "open" if one.is_open else "closed",
        "kind": one.kind,
        "where": one.where,
        "repo": one.repo,
        "evidence": redact(one.evidence),
        "agent": one.agent or None,
        "at": iso(one.at),
        "by": one.closed_by or None,
        "why": one.why or None,
    }
