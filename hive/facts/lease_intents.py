"""What hive means to do about leases: labels by which several hives share one repository."""

from __future__ import annotations

from hive.facts.intended import OfIssue


class TakeLease(OfIssue, tag="take-lease", frozen=True, kw_only=True):
    """Put hive's own lease label on an issue, and see that no other hive's was there first."""

    label: str
    prefix: str
    """How the label of every hive begins."""
    expires_s: int
    """Seconds after which another hive's label counts no more."""

    @property
    def id(self) -> str:
        return f"lease/{self.subject}"


class DropLease(OfIssue, tag="drop-lease", frozen=True, kw_only=True):
    """Take hive's own lease label off again. Idempotent."""

    label: str

    @property
    def id(self) -> str:
        return f"unlease/{self.subject}"


LEASING = (TakeLease, DropLease)
