"""Events of findings: what was found, again too, and what people said to it."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent, RecordedEvent


class FindingRecorded(AgentEvent, tag="finding-recorded", frozen=True, kw_only=True):
    """Something that nobody had found before. Fields as `facts.findings.Finding` has them."""

    finding_id: str
    repo: str
    issue: int | None = None
    title: str
    body: str
    task: str = ""
    path: str = ""
    rule: str = ""
    about: str = ""
    fingerprint: str = ""
    blob: str = ""


class FindingRepeated(AgentEvent, tag="finding-repeated", frozen=True, kw_only=True):
    """What is on record was found again, in other words perhaps.

    Attributes:
        reopened: It was rejected, and its subject has changed since.
    """

    finding_id: str
    repo: str
    title: str
    task: str = ""
    blob: str = ""
    reopened: bool = False


class FindingDecided(RecordedEvent, tag="finding-decided", frozen=True, kw_only=True):
    """A person's word: an issue is to be made of it, or it is none."""

    finding_id: str
    accepted: bool
    by: str
    why: str = ""

    @property
    def subject(self) -> str:
        return self.finding_id


FINDING_EVENTS = (FindingRecorded, FindingRepeated, FindingDecided)
