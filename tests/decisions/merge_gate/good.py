"""One pull request that merges, for tests to spoil in one place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hive.decisions.merge_gate import Judgement, MergePolicy, MergeVerdict, Obstacle, RequiredCheck, judge
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import ChangedFile, Check, LinkedIssue, PullRequest, Review

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PUSHED = NOW - timedelta(minutes=30)
MISSING_AT = PUSHED + timedelta(hours=1)
HEAD, OLD = "4f1c0de", "0ldc0de"
ADA = Actor("ada", ActorKind.PERSON, Association.MEMBER)
AGENT = Actor("hive-quality", ActorKind.AGENT)
BUILD = Check(11, "build", "check", HEAD, "completed", "success", "github-actions", "CI")

PR = PullRequest(
    number=7,
    draft=False,
    author=AGENT,
    pushers=("hive-quality",),
    base="main",
    head=HEAD,
    mergeable=True,
    pushed_at=PUSHED,
    labels=(),
    checks=(BUILD,),
    reviews=(),
    unresolved_threads=0,
    linked_issues=(LinkedIssue(3, "open"),),
    files=(ChangedFile("src/a.py"),),
)
POLICY = MergePolicy()
REQUIRED = replace(POLICY, required=(RequiredCheck("build"),))

MERGES = (MergeVerdict.MERGE, ())


def outcome(
    pr: PullRequest = PR, policy: MergePolicy = POLICY, now: datetime = NOW
) -> tuple[MergeVerdict, tuple[tuple[str, str, datetime | None], ...]]:
    """The verdict and each obstacle's code, subject and time."""
    judgement: Judgement = judge(pr, policy, now)
    return judgement.verdict, tuple(_told(each) for each in judgement.obstacles)


def _told(obstacle: Obstacle) -> tuple[str, str, datetime | None]:
    return (str(obstacle.code), obstacle.subject, obstacle.until)


def review(state: str, head: str | None = HEAD, by: Actor | None = ADA, minute: int = 0) -> Review:
    return Review(by, state, head, PUSHED + timedelta(minutes=minute))
