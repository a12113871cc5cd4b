"""What the journal has of the comparison of the forge with the journal itself."""

from __future__ import annotations

from datetime import datetime

from hive.facts.recorded import RecordedEvent


class RepositoryWatched(RecordedEvent, tag="repository-watched", frozen=True, kw_only=True):
    """From now on every act of hive's account in it has to be one of hive's.

    Attributes:
        until: By the forge's clock, the newest act that was there already; `None` where there was none.
    """

    repo: str
    until: datetime | None = None

    @property
    def subject(self) -> str:
        return self.repo


class IncidentRaised(RecordedEvent, tag="incident-raised", frozen=True, kw_only=True):
    """`facts.incidents.Incident`; `what` is its kind."""

    incident_id: str
    what: str
    repo: str
    number: int = 0
    ref: str = ""
    evidence: str
    agent: str = ""
    is_note: bool = False

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.number}" if self.number else self.repo


class IncidentClosed(RecordedEvent, tag="incident-closed", frozen=True, kw_only=True):
    """A person's word that it is dealt with."""

    incident_id: str
    by: str
    why: str

    @property
    def subject(self) -> str:
        return self.incident_id
