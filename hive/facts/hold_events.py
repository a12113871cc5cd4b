"""What the journal has of held actions."""

from __future__ import annotations

from hive.facts.recorded import RecordedEvent


class _HoldEvent(RecordedEvent, frozen=True, kw_only=True):
    """About the hold: the agent's own story has the rulings on what it asked for."""

    hold_id: str

    @property
    def subject(self) -> str:
        return self.hold_id


class ActionHeld(_HoldEvent, tag="action-held", frozen=True, kw_only=True):
    """An agent asked for something that a person is to decide on (`facts.holds.Hold`)."""

    agent: str
    action: str
    target: str
    content: str
    shown: str
    rule: str
    because: str


class HoldDecided(_HoldEvent, tag="hold-decided", frozen=True, kw_only=True):
    """A person's word on a held action; a later one takes its place until the action is done."""

    approved: bool
    by: str
    why: str = ""
    source: str = ""


class HoldUsed(_HoldEvent, tag="hold-used", frozen=True, kw_only=True):
    """The agent asked for the approved action again; it is let through this once."""

    agent: str
    request_id: str
