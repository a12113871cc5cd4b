"""What an agent's program tells hive by its hooks: moments of its session, and the state they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class HookMoment(StrEnum):
    """Moments at which a program starts hive's hook, in one spelling for all programs."""

    SESSION = "session"
    PROMPT = "prompt"
    TOOL = "tool"
    """Before a tool is used: hive is asked."""
    PERMISSION = "permission"
    """The program would ask a person whether a tool may be used: hive is asked first."""
    NOTICE = "notice"
    END = "end"
    FAILURE = "failure"
    SUBAGENT_END = "subagent-end"
    COMPACT = "compact"
    CLOSE = "close"


class HookState(StrEnum):
    STARTED = "started"
    WORKING = "working"
    ASKING = "asking"
    FINISHED = "finished"
    FAILED = "failed"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class HookEvidence:
    """What the hooks of an agent's program say of it.

    Attributes:
        at: When its program last said something that bears on the state (UTC, the agent's machine's clock).
        conversation: The program's own id of its conversation; empty where it told none.
        transcript: Path of the program's own transcript of that conversation; empty where it told none.
        allowed: Whether hive let the tool pass that the program was last about to use; None for none.
    """

    state: HookState
    at: datetime
    detail: str = ""
    conversation: str = ""
    transcript: str = ""
    allowed: bool | None = None
