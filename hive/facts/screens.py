"""What a captured pane means: a backend's reading, never a guess."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ScreenState(StrEnum):
    STARTING = "starting"
    READY = "ready"
    WORKING = "working"
    ASKING = "asking"
    LOGGED_OUT = "logged-out"
    LIMITED = "limited"
    RETRYING = "retrying"
    OUT_OF_CREDIT = "out-of-credit"
    CONTEXT_FULL = "context-full"
    COMPACTING = "compacting"
    FAILED = "failed"
    EXITED = "exited"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Screen:
    """A backend's reading of one pane.

    Attributes:
        detail: One line for a person: the question asked, the reason for `UNKNOWN`.
        resets_at: UTC; when a limit ends, where the screen says so.
        options: The labels of an asking box, in order, without numbers and frames.
        chosen: Which of `options` Enter would take now; None where that is not shown.
    """

    state: ScreenState
    detail: str = ""
    resets_at: datetime | None = None
    options: tuple[str, ...] = ()
    chosen: int | None = None
