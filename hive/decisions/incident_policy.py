"""What the operator says of the account that hive acts by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IncidentPolicy:
    """Attributes:
    shared_account: A person works by the same account: what bears no marker of hive's may be that
        person's, and is noted instead of being an incident.
    """

    shared_account: bool = False
