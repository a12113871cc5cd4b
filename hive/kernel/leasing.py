"""Lease labels, by the forge port. Runs in its lane."""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.decisions.leases import first_of
from hive.errors import Moved
from hive.facts.intents import DropLease, TakeLease
from hive.ports.forge import Forge


def carry_out_lease(intent: TakeLease | DropLease, forge: Forge, now: datetime) -> str:
    """The label. Raises as the port does, and `Moved` where another hive was first."""
    repo, number, label = intent.repo, intent.issue, intent.label
    # One that is there already is of an earlier try, or of a lease long over: its time would be a wrong one.
    forge.remove_label(repo, number, label)
    if isinstance(intent, TakeLease):
        forge.add_labels(repo, number, [label])
        expires = timedelta(seconds=intent.expires_s)
        other = first_of(forge.labels(repo, number), label, intent.prefix, expires, now)
        if other:
            forge.remove_label(repo, number, label)
            raise Moved("forge", other)
    return f"label {label}"
