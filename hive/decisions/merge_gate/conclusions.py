"""What every status and conclusion of a check means to the gate: the one table of them.

A word that is not in it fails: GitHub may think of new ones.
"""

from __future__ import annotations

from enum import StrEnum

from hive.facts.forge import Check


class Meaning(StrEnum):
    GREEN = "green"
    SKIPPED = "skipped"
    """It did not look: green only where the operator says so, and no failure either."""
    PENDING = "pending"
    FAILED = "failed"


CONCLUSIONS = {
    "success": Meaning.GREEN,
    "neutral": Meaning.SKIPPED,
    "skipped": Meaning.SKIPPED,
    "failure": Meaning.FAILED,
    "cancelled": Meaning.FAILED,
    "timed_out": Meaning.FAILED,
    "action_required": Meaning.FAILED,
    "startup_failure": Meaning.FAILED,
    "stale": Meaning.FAILED,
}
"""Of a check that has completed. What the policy accepts is green, whatever it is here."""

COMPLETED = "completed"
"""The one status that has a conclusion; queued, in_progress, waiting, requested, pending and whatever else
there may come are under way."""

BREAKS_BASE = frozenset({"failure", "timed_out", "startup_failure"})
"""Conclusions that say that a base is broken. A cancelled run does not: a newer push cancels older runs."""


def meaning(check: Check, accept: frozenset[str]) -> Meaning:
    """What `check` says, where conclusions of `accept` count as green."""
    if check.status != COMPLETED:
        return Meaning.PENDING
    if check.conclusion in accept:
        return Meaning.GREEN
    known = CONCLUSIONS.get(check.conclusion or "", Meaning.FAILED)
    return Meaning.FAILED if known is Meaning.GREEN else known


def breaks_base(check: Check) -> bool:
    return check.status == COMPLETED and check.conclusion in BREAKS_BASE
