"""The section `findings` of ``hive.yaml``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class FindingsPolicy:
    """What becomes of findings.

    Attributes:
        promote: Findings become issues by themselves where the level lets their agent file issues.
        labels: That such an issue gets.
        per_day: Issues filed by themselves within a day, in one repository.
        most_open: Issues of findings that may be open at once; above it none is filed by itself.
        tracking: Repositories, in lower case, that have a tracking issue of what was found.
        tracking_every: Least time between two changes of a tracking issue.
        per_task: New findings that one task may give.
    """

    promote: bool = True
    labels: tuple[str, ...] = ()
    per_day: int = 5
    most_open: int = 20
    tracking: frozenset[str] = field(default_factory=frozenset)
    tracking_every: timedelta = timedelta(minutes=10)
    per_task: int = 20
