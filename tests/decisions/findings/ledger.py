"""A ledger of findings that tests fill by events, as the journal does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hive.decisions.plan import plan
from hive.decisions.policy import Policy
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.memory import Memory
from hive.facts.world import World
from tests.decisions.worlds import NOW, REPO

A = "quality-1"


def found(finding_id: str = "F1", **changes: object) -> e.FindingRecorded:
    told = {"agent": A, "repo": REPO, "title": f"{finding_id} is wrong", "body": "See.", "path": "a.py"}
    return e.FindingRecorded(finding_id=finding_id, **(told | changes))  # type: ignore[arg-type]  # by name


def after(known: Memory, *events: e.Event, at: datetime = NOW) -> Memory:
    records = [e.Record(known.seq + number, at, 1, event) for number, event in enumerate(events, 1)]
    return recall(known, records)


def meant(seen: World, known: Memory, wishes: Policy) -> list[i.FileFinding | i.UpdateTracking]:
    intents = plan(seen, known, wishes).intents
    return [one for one in intents if isinstance(one, i.FileFinding | i.UpdateTracking)]


def begun(known: Memory, intent: i.Intent, at: datetime = NOW) -> Memory:
    return after(known, e.IntentStarted(intent_id=intent.id, body=intent), at=at)


def ended(
    known: Memory, intent: i.Intent, outcome: str = "done", detail: str = "12", at: datetime = NOW
) -> Memory:
    event = e.IntentFinished(intent_id=intent.id, about=intent.subject, outcome=outcome, detail=detail)
    return after(known, event, at=at)


def states(known: Memory) -> Sequence[tuple[str, str, int]]:
    return [(one.id, str(one.state), one.filed) for one in known.findings]
