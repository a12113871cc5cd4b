"""When the triage of an issue is worth a record."""

from __future__ import annotations

from hive.facts.events import IssueTriaged


def triage_answer(event: IssueTriaged) -> str:
    """What of a triage answer counts as a change: not the rank, which moves with the queue."""
    return f"{'yes' if event.eligible else 'no'}|{event.lane or ''}|{event.because}"
