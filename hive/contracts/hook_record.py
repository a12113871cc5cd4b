"""What agents' hooks note, line by line: a record of hive's own making, the same for all programs.

Each line is ``{"event": MOMENT, "at": SECONDS, "generation": "3", "data": {…}}``, written below the agent's
HOME by the program that its hooks start. It is evidence before any screen: the program itself said so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import assert_never

from hive.facts.hooks import HookEvidence, HookMoment, HookState

_NUMBER = re.compile(r"[0-9]{1,9}")
_LONGEST = 4096
"""Characters of a field that are told: an agent's program may write as much as it likes."""


@dataclass(frozen=True, slots=True)
class Noted:
    """One line.

    Attributes:
        at: None in lines of earlier versions, which did not have the time.
        verdict: What hive said of a tool; empty at all other moments.
        generation: Of the program's start; 0 where that is not told.
    """

    moment: HookMoment
    at: datetime | None
    verdict: str
    generation: int
    data: dict[str, object]

    def text(self, *names: str) -> str:
        """The first of the named fields that says something."""
        return next((str(self.data[name])[:_LONGEST] for name in names if self.data.get(name)), "")


def record_path(home: str) -> str:
    return f"{home.rstrip('/')}/.hive/turns.jsonl"


def read_line(line: str) -> Noted | None:
    """None for what is not understood."""
    try:
        record = json.loads(line)
        moment = HookMoment(record["event"])
        data = record["data"]
        seconds = record.get("at")
        at = datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int | float) else None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    generation = str(record.get("generation") or "0")
    number = int(generation) if _NUMBER.fullmatch(generation) else 0
    return Noted(moment, at, str(record.get("verdict") or ""), number, data)


def read_evidence(lines: Sequence[str]) -> HookEvidence | None:
    """What the lines say in all; None where there are none, or none with a time."""
    return weigh(noted for noted in map(read_line, lines) if noted is not None)


def weigh(notes: Iterable[Noted]) -> HookEvidence | None:
    """Fold notes, oldest first."""
    found: HookEvidence | None = None
    for noted in notes:
        if noted.at is None:
            continue
        found = _after(found, noted, noted.at)
    return found


def _after(known: HookEvidence | None, noted: Noted, at: datetime) -> HookEvidence:
    before = known or HookEvidence(HookState.STARTED, at)
    conversation = noted.text("session_id", "sessionId")
    if conversation and conversation != before.conversation:
        before = replace(before, conversation=conversation, transcript="")
    transcript = noted.text("transcript_path", "transcriptPath")
    if transcript:
        before = replace(before, transcript=transcript)
    state, detail, allowed = _state(before, noted)
    is_news = noted.moment in _NEWS or state is not before.state
    return replace(before, state=state, at=at if is_news else before.at, detail=detail, allowed=allowed)


_NEWS = frozenset(HookMoment) - {HookMoment.NOTICE, HookMoment.SUBAGENT_END}


def _state(before: HookEvidence, noted: Noted) -> tuple[HookState, str, bool | None]:
    allowed = noted.verdict == "allow"
    match noted.moment:
        case HookMoment.SESSION if noted.text("source") == "compact":
            return before.state, "", None  # the same turn goes on
        case HookMoment.SESSION:
            return HookState.STARTED, "", None
        case HookMoment.PROMPT | HookMoment.COMPACT:
            return HookState.WORKING, "", None
        case HookMoment.TOOL:
            return HookState.WORKING, "", allowed
        case HookMoment.PERMISSION:
            tool = noted.text("tool_name", "toolName") or "a tool"
            return (
                (HookState.WORKING, "", True) if allowed else (HookState.ASKING, f"may it use {tool}?", False)
            )
        case HookMoment.NOTICE if "permission" in noted.text("notification_type").casefold():
            return HookState.ASKING, noted.text("message", "title"), before.allowed
        case HookMoment.NOTICE | HookMoment.SUBAGENT_END:
            return before.state, before.detail, before.allowed
        case HookMoment.END:
            return HookState.FINISHED, "", None
        case HookMoment.FAILURE:
            return HookState.FAILED, noted.text("error", "reason"), None
        case HookMoment.CLOSE:
            return HookState.CLOSED, noted.text("reason"), None
        case _ as never:
            assert_never(never)
