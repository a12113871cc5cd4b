"""One eligible issue, for tests to spoil in one place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hive.decisions.triage import TriageItem, TriagePolicy, triage
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import Comment, Issue, Label

T0 = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
"""When the issue was written."""
T1 = T0 + timedelta(hours=1)
"""When the go label was put on it."""
SECOND = timedelta(seconds=1)

ADA = Actor("ada", ActorKind.PERSON, Association.MEMBER)
EVE = Actor("eve", ActorKind.PERSON, Association.NONE)
APP = Actor("our-app[bot]", ActorKind.APP, Association.NONE)

ISSUE = Issue(number=5, title="Crash on start", body="It crashes.", author=ADA, created_at=T0)
POLICY = TriagePolicy()
GO = TriagePolicy(go_label="agent-ready")
RELEASED = Issue(
    number=5,
    title="Crash on start",
    body="It crashes.",
    author=EVE,
    created_at=T0,
    labels=(Label("agent-ready", ADA, T1),),
)


def ruled(issue: Issue, policy: TriagePolicy = POLICY, *others: Issue) -> TriageItem:
    return next(item for item in triage((issue, *others), policy) if item.number == issue.number)


def said(
    by: Actor | None, at: datetime | None, body: str = "text", edited: datetime | None = None
) -> Comment:
    return Comment(by, at, body, edited)
