"""What the journal has on one finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hive.app.places import Places
from hive.decisions.instants import iso
from hive.decisions.telling import tell
from hive.facts.events import FindingRecorded, IntentFinished, IntentRuled, IntentStarted
from hive.facts.intents import FileFinding
from hive.shells.sqlite import SqliteJournal

_MOST = 200
"""Events: the newest."""


def history(here: Places, finding: str) -> tuple[str, list[Mapping[str, Any]]]:
    """What its agent said, whole, and what happened to it: ``{"at", "seq", "text"}``, oldest first."""
    said = ""
    events: list[Mapping[str, Any]] = []
    journal = SqliteJournal(here.journal, read_only=True)
    try:
        for record in journal.records():
            event = record.event
            if isinstance(event, FindingRecorded) and event.finding_id == finding:
                said = event.body
            if is_about(event, finding):
                events.append({"at": iso(record.at), "seq": record.seq, "text": tell(record)})
    finally:
        journal.close()
    return said, events[-_MOST:]


def is_about(event: object, finding: str) -> bool:
    """Whether an event is about the finding of that id."""
    match event:
        case IntentStarted(body=FileFinding(finding=filed)):
            return filed == finding
        case IntentFinished(intent_id=intent) | IntentRuled(intent_id=intent):
            return intent.startswith("file/") and intent.rpartition("/")[2] == finding
        case _:
            return getattr(event, "finding_id", None) == finding
