"""What hive means to do about findings: issues of its own on the forge.

Both are idempotent: each looks for its marker first, and finds what an earlier try left.
"""

from __future__ import annotations

from datetime import datetime

from hive.facts.intended import Intended


class FileFinding(Intended, tag="file-finding", frozen=True, kw_only=True):
    """File an issue for a finding, unless one with its marker is there."""

    repo: str
    finding: str
    agent: str
    """Who found it, and in whose name it is filed."""
    title: str
    body: str
    """With the marker; as it is published."""
    marker: str
    since: datetime
    """The issue cannot be older than this."""
    labels: tuple[str, ...] = ()
    accepted_by: str = ""
    """The person who accepted it; empty where the agent's level lets it be filed."""

    @property
    def subject(self) -> str:
        return self.repo

    @property
    def id(self) -> str:
        return f"file/{self.repo}/{self.finding}"


class UpdateTracking(Intended, tag="update-tracking", frozen=True, kw_only=True):
    """Have the repository's tracking issue say what is found there: made once, then changed in place."""

    repo: str
    number: int
    """0: it is not known yet, and looked for by its marker."""
    title: str
    body: str
    marker: str
    digest: str
    """Of title and body."""

    @property
    def subject(self) -> str:
        return self.repo

    @property
    def id(self) -> str:
        return f"tracking/{self.repo}/{self.digest}"
