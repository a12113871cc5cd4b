"""Something that an agent asked of the forge and that waits for a person's word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class HoldState(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    """And not done yet; a push has to be asked for again."""
    DENIED = "denied"
    DONE = "done"
    EXPIRED = "expired"
    """Nobody said anything in time, or what was approved could not be done in time."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A held action. What a person says of it is about exactly this content.

    Attributes:
        id: ``H3``.
        target: ``o/r``, ``o/r#7``, ``o/r@refs/heads/x``, ``o/r:path``.
        content: SHA-256 (hex) of the whole request.
        shown: The beginning of what it would publish, without secrets.
        rule, because: Why it was held.
        approved: What a person said, `by` whom and `why`, at `decided_at`; `None`: nothing yet.
        source: What the word was said by on the forge (`facts.activity.Told.key`); empty elsewhere.
        is_done: It was let through.
    """

    id: str
    agent: str
    action: str
    target: str
    content: str
    shown: str
    rule: str
    because: str
    at: datetime
    approved: bool | None = None
    by: str = ""
    why: str = ""
    decided_at: datetime | None = None
    source: str = ""
    is_done: bool = False
