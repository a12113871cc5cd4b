"""What every intent has: an id that follows from what is intended, what it is about, and why."""

from __future__ import annotations

import msgspec


class Intended(msgspec.Struct, frozen=True, tag_field="intent", kw_only=True, omit_defaults=True):
    because: str = ""
    """Why, in one sentence for a person."""


class OfAgent(Intended, frozen=True, kw_only=True):
    agent: str

    @property
    def subject(self) -> str:
        return self.agent


class OfIssue(Intended, frozen=True, kw_only=True):
    repo: str
    issue: int

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.issue}"


class OfPullRequest(Intended, frozen=True, kw_only=True):
    repo: str
    number: int
    head: str
    """The commit that it is about: of another head nothing is meant."""

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.number}"

    def _at_head(self, verb: str) -> str:
        return f"{verb}/{self.subject}@{self.head[:12]}"
