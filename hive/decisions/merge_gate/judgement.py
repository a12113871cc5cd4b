"""What the gate answers: a verdict and its obstacles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum


class MergeVerdict(StrEnum):
    MERGE = "merge"
    WAIT = "wait"
    """Time, or something already under way, can clear every obstacle."""
    BLOCKED = "blocked"
    """Someone has to act."""


class ObstacleCode(StrEnum):
    """Codes in the order in which obstacles are told."""

    INCOMPLETE = "incomplete"
    DRAFT = "draft"
    HOLD = "hold"
    SETTLE = "settle"
    CHECK_FAILED = "check-failed"
    CHECK_SKIPPED = "check-skipped"
    CHECK_PENDING = "check-pending"
    CHECK_STALE = "check-stale"
    CHECK_MISSING = "check-missing"
    NO_CHECKS = "no-checks"
    CHANGES_REQUESTED = "changes-requested"
    REVIEW_STALE = "review-stale"
    REVIEW_MISSING = "review-missing"
    CODE_OWNERS = "code-owners"
    THREADS = "threads"
    CONFLICT = "conflict"
    MERGEABLE_UNKNOWN = "mergeable-unknown"
    BEHIND = "behind"
    BASE_RULE = "base-rule"
    BASE_RED = "base-red"
    PROTECTED_PATH = "protected-path"
    ISSUE_CLOSED = "issue-closed"
    MERGING_HELD = "merging-held"
    QUIET_HOURS = "quiet-hours"
    GUARDRAIL = "guardrail"


_UNDER_WAY = frozenset({ObstacleCode.CHECK_PENDING, ObstacleCode.MERGEABLE_UNKNOWN})
_RANK = {code: rank for rank, code in enumerate(ObstacleCode)}


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing in the way.

    Attributes:
        subject: The check, reviewer, label, path or field concerned.
        because: One sentence for a person.
        until: When it clears by itself or starts to need a person (UTC); `None` where time alone does not
            change it.
    """

    code: ObstacleCode
    subject: str
    because: str
    until: datetime | None = None

    @property
    def clears_by_itself(self) -> bool:
        return self.until is not None or self.code in _UNDER_WAY


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's answer about one head.

    Attributes:
        head: The commit that was judged, and the only one that may be merged on it.
        obstacles: Empty exactly when the verdict is merge.
        remarks: What a person may want to see and what does not block.
    """

    verdict: MergeVerdict
    head: str | None
    obstacles: tuple[Obstacle, ...]
    remarks: tuple[Obstacle, ...] = ()


def verdict_of(obstacles: Iterable[Obstacle]) -> MergeVerdict:
    found = tuple(obstacles)
    if not found:
        return MergeVerdict.MERGE
    if all(obstacle.clears_by_itself for obstacle in found):
        return MergeVerdict.WAIT
    return MergeVerdict.BLOCKED


def in_order(obstacles: Iterable[Obstacle]) -> tuple[Obstacle, ...]:
    """Each once, by code, then subject: the input's order shows nowhere."""
    return tuple(sorted(set(obstacles), key=lambda each: (_RANK[each.code], each.subject, each.because)))


def after(moment: datetime, span: timedelta) -> datetime:
    """`moment` + `span`, at most the last moment that a `datetime` can tell."""
    try:
        return moment + span
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
