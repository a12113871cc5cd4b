"""Findings: what agents found or propose, what people said to it, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

REPEATS_KEPT = 50
"""Tasks in which a finding was made again that are remembered, the newest last."""
BODY_KEPT = 16_000
"""Characters of a finding's text that are remembered; the journal has it whole."""


class FindingState(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    """A person wants an issue of it; it is not filed yet."""
    REJECTED = "rejected"
    """It stays so until its subject changes."""
    FILED = "filed"
    """There is an issue of it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found, however often and by whomever.

    Attributes:
        id: ``F1``, ``F2`` … in order of arrival.
        agent: Who found it first.
        issue: The issue that it is about, if any.
        task: The task in which it was found first, if any.
        path, rule, about: What it is about, as far as its agent told: a file, the rule that it breaks, and
            the subject in words.
        fingerprint: Of what it is about (`decisions.findings.fingerprint`): equal for one and the same.
        blob: What git calls the content of the file at `path` when it was found last; empty where nobody
            knows.
        again: Tasks in which it was found again, or ``by AGENT`` outside of one.
        times: How often it was found.
        by, why, decided_at: A person's word on it.
        filed: The number of its issue; 0 for none.
        rests_until: The forge did not file it; it is not asked again before.
    """

    id: str
    agent: str
    repo: str
    issue: int | None
    title: str
    body: str
    at: datetime
    task: str = ""
    path: str = ""
    rule: str = ""
    about: str = ""
    fingerprint: str = ""
    blob: str = ""
    again: tuple[str, ...] = ()
    times: int = 1
    seen_at: datetime | None = None
    state: FindingState = FindingState.OPEN
    by: str = ""
    why: str = ""
    decided_at: datetime | None = None
    filed: int = 0
    filed_at: datetime | None = None
    rests_until: datetime | None = None

    def is_of(self, task: str) -> bool:
        """Whether it was found in `task`, for the first time or again."""
        return task == self.task or task in self.again


@dataclass(frozen=True, slots=True)
class Tracking:
    """A repository's tracking issue; `digest` is of what it says, `at` when that was written."""

    number: int
    digest: str
    at: datetime
    rests_until: datetime | None = None
