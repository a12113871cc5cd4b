"""What every event of the journal has: a kind of its own, and what it is about."""

from __future__ import annotations

import msgspec


class RecordedEvent(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True, omit_defaults=True):
    @property
    def subject(self) -> str:
        """What it is about: an agent, ``o/r#7``, a task, a port; empty for the hive itself."""
        return ""


class AgentEvent(RecordedEvent, frozen=True, kw_only=True):
    agent: str

    @property
    def subject(self) -> str:
        return self.agent


class NumberedEvent(RecordedEvent, frozen=True, kw_only=True):
    repo: str
    number: int

    @property
    def subject(self) -> str:
        return f"{self.repo}#{self.number}"
