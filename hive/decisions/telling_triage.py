"""What triage answered for an issue, in words."""

from __future__ import annotations

from hive.facts.events import IssueTriaged


def of_triage(event: IssueTriaged) -> str:
    if not event.eligible:
        return f"{event.subject} is not work: {event.because}"
    rank = f", rank {event.rank}" if event.rank is not None else ""
    lane = f", lane {event.lane}" if event.lane else ""
    return f"{event.subject} is work{rank}{lane}: {event.because}"
