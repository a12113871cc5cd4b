"""A need as people read it in a message."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from hive.decisions.one_line import one_line
from hive.decisions.redaction import redact
from hive.facts.needs import NeedKind, NeedMemory

_LONGEST = 300
"""Characters of what is told of one need."""
_READ = 8000
"""Characters of a text that are looked at; a secret that this cut halves is far behind the other cut."""
_MOST = 20
"""Needs that one message tells of; a person with more has to look anyway."""
_DEFUSED = str.maketrans({"<": "‹", ">": "›", "@": "＠", "`": "ˋ", "&": "＆", "|": "¦", "[": "⟦", "]": "⟧"})
"""Characters by which a text calls people, links or commands in chats and mail, as their likes."""
_WORDS = {
    NeedKind.APPROVAL: "waits for approval",
    NeedKind.HELD: "waits for its release",
    NeedKind.ASKING: "is asking",
    NeedKind.BLOCKED: "is at a screen that nobody knows",
    NeedKind.LOGGED_OUT: "is logged out",
    NeedKind.OUT_OF_CREDIT: "is out of credit",
    NeedKind.LIMITED: "is kept by a usage limit",
    NeedKind.STUCK: "is stuck",
    NeedKind.SANDBOX: "has no place to run",
    NeedKind.UNREACHABLE: "cannot be reached",
    NeedKind.ISOLATION: "is weaker than was asked for",
    NeedKind.BUDGET: "has spent its budget",
    NeedKind.MERGING: "merges nothing",
    NeedKind.REFUSED: "refuses everything",
    NeedKind.INCIDENT: "is an incident",
    NeedKind.CONFIGURATION: "is wrong",
}


@dataclass(frozen=True, slots=True)
class Message:
    """What one channel is sent.

    Attributes:
        id: The same for the same needs of the same standing.
        keys: Of the needs that it tells of; all of them, also those that it only counts.
    """

    id: str
    channel: str
    keys: tuple[str, ...]
    title: str
    body: str
    resolved: bool = False


def message(channel: str, needs: Sequence[NeedMemory], *, resolved: bool = False) -> Message:
    """One message on all of `needs` (at least one), without secrets and with others' words defused."""
    lines = [_resolved(one) if resolved else _told(one) for one in needs[:_MOST]]
    if len(needs) > _MOST:
        lines.append(f"… and {len(needs) - _MOST} more: hive notify list")
    return Message(
        id=_id(channel, needs, resolved),
        channel=channel,
        keys=tuple(one.need.key for one in needs),
        title=_title(needs, resolved),
        body="\n".join(lines),
        resolved=resolved,
    )


def clean(text: str) -> str:
    """One bounded line without secrets that calls nobody and formats nothing where it is shown."""
    # Redacted before it is cut: half a secret is not known as one.
    return one_line(redact(text[:_READ]), _LONGEST).translate(_DEFUSED)


def _title(needs: Sequence[NeedMemory], resolved: bool) -> str:
    if len(needs) > 1:
        return f"hive: {len(needs)} no longer need you" if resolved else f"hive: {len(needs)} wait for you"
    need = needs[0].need
    about = clean(need.about)
    return f"hive: {about} no longer needs you" if resolved else f"hive: {about} {_WORDS[need.kind]}"


def _told(one: NeedMemory) -> str:
    need = one.need
    text = clean(need.text)
    head = f"{clean(need.about)} {_WORDS[need.kind]}" + (f": {text}" if text else "")
    return f"{head}\n  {need.command}" if need.command else head


def _resolved(one: NeedMemory) -> str:
    return f"{clean(one.need.about)}: it {_WORDS[one.need.kind]} no longer"


def _id(channel: str, needs: Sequence[NeedMemory], resolved: bool) -> str:
    told = [f"{one.need.key} {one.since.isoformat()}" for one in needs]
    return hashlib.sha256("\n".join([channel, str(resolved), *told]).encode()).hexdigest()[:12]
