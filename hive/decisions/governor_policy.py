"""The section `governor` of ``hive.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from hive.facts.governor import LoadMode


@dataclass(frozen=True, slots=True)
class Weights:
    """What one of each adds to the pressure."""

    issue: float = 1.0
    """An eligible issue that nobody is at."""
    pull: float = 2.0
    """An agent's pull request that waits for an agent: conflict, changes asked for, open threads."""
    red: float = 3.0
    """An agent's pull request with a failed check."""
    breach: float = 5.0
    """An eligible issue older than its lane's SLA, besides its own weight."""


@dataclass(frozen=True, slots=True)
class GovernorPolicy:
    """How the load sets the pace.

    Attributes:
        thresholds: The pressure from which a mode holds; idle needs none.
        margin: A mode is left downwards only when the pressure is so much (a share) below its threshold.
        dwell: How long a mode lasts at least, unless the pressure reaches surge.
        slots: Tasks at once in a mode; a mode without an entry has no limit.
        cadence: By role and mode, the least time between two tasks given to agents of that role.
        sla: By lane (``""``: every other), how old an eligible issue may become.
        shares: By repository, its share of the slots against 1 for the others.
    """

    thresholds: Mapping[LoadMode, float] = field(
        default_factory=lambda: {LoadMode.QUIET: 1.0, LoadMode.BUSY: 10.0, LoadMode.SURGE: 20.0}
    )
    margin: float = 0.2
    dwell: timedelta = timedelta(minutes=5)
    weights: Weights = field(default_factory=Weights)
    slots: Mapping[LoadMode, int] = field(default_factory=dict)
    cadence: Mapping[str, Mapping[LoadMode, timedelta]] = field(default_factory=dict)
    sla: Mapping[str, timedelta] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)

    def pace(self, role: str, mode: LoadMode) -> timedelta:
        return self.cadence.get(role, {}).get(mode, timedelta())

    def share(self, repo: str) -> float:
        return self.shares.get(repo.casefold(), 1.0)
