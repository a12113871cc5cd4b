"""How large a soak is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Size:
    """Attributes:
    issues: Of each repository at the start; people open more.
    kills: How long hive lives on average.
    chores: How often a person does something somewhere, on average.
    faults: Whether requests go wrong, by the shares in `Town.go_wrong`.
    """

    repos: int
    issues: int
    agents: int
    lasts: timedelta
    kills: timedelta | None = timedelta(hours=2)
    chores: timedelta = timedelta(minutes=20)
    faults: bool = True
    seed: int = 7


SMALL = Size(
    repos=2,
    issues=6,
    agents=4,
    lasts=timedelta(hours=4),
    kills=timedelta(minutes=40),
    chores=timedelta(minutes=15),
)
"""What the suite runs."""
WHOLE = Size(
    repos=20,
    issues=100,
    agents=60,
    lasts=timedelta(days=7),
    kills=timedelta(hours=3),
    chores=timedelta(minutes=8),
)
"""A week of twenty repositories; `HIVE_SOAK=whole`."""
