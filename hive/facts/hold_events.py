"""What the journal has of held actions."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent, RecordedEvent


class ActionHeld(AgentEvent, tag="action-held", frozen=True, kw_only=True):
    """An agent asked for something that a person is to decide on (`facts.holds.Hold`)."""

    hold_id: str
    action: str
    target: str
    content: str
    shown: str
    rule: str
    because: str


class HoldDecided(RecordedEvent, tag="hold-decided", frozen=True, kw_only=True):
    """A person's word on a held action; a later one takes its place until the action is done."""

    hold_id: str
    approved: bool
    by: str
    why: str = ""

    @property
    def subject(self) -> str:
        return self.hold_id


class HoldUsed(AgentEvent, tag="hold-used", frozen=True, kw_only=True):
    """The agent asked for the approved action again; it is let through this once."""

    hold_id: str
    request_id: str
