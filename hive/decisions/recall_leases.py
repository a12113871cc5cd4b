"""Leases that hive holds, folded from the journal."""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.decisions.recall_maps import Maps
from hive.facts import events as e
from hive.facts import intents as i

_RESTS = timedelta(minutes=10)
"""After another hive had an issue, or the forge refused the label: who meets does not meet again at once."""


def ended(maps: Maps, intent: i.TakeLease | i.DropLease, event: e.IntentFinished, at: datetime) -> None:
    if isinstance(intent, i.DropLease):
        if event.outcome in ("done", "missing"):
            maps.leases.pop(intent.subject, None)
        elif event.outcome != "undone":
            # Tried again after the time that a lease is kept anyway.
            maps.leases[intent.subject] = at
    elif event.outcome == "done":
        maps.leases[intent.subject] = at
    elif event.outcome != "undone":
        maps.leases.pop(intent.subject, None)
        # By its own name each rests for another time: two hives that gave way to each other come apart.
        apart = sum(intent.label.encode()) % 300
        maps.issue(intent.subject, rests_until=at + _RESTS + timedelta(seconds=apart))
