"""What the forge lets hive ask in an hour, and how much of that is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Quota:
    """One limit, as the forge told it last.

    Attributes:
        holder: Whose limit it is: of hive's token, or of one installation of its App.
        resource: GitHub's name: ``core`` is REST's, ``graphql`` is counted in points.
        resets_at: When all of `limit` is there again (UTC, the forge's clock).
        spent: What this process spent of it so far, over all hours.
    """

    holder: str
    resource: str
    limit: int
    remaining: int
    resets_at: datetime
    spent: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How often each repository is looked at.

    Attributes:
        intervals: By repository; what is missing has no interval of its own.
        because: Why that is less often than configured, in words for people; empty where it is not.
    """

    intervals: Mapping[str, timedelta] = field(default_factory=dict)
    because: str = ""
    quotas: tuple[Quota, ...] = ()
