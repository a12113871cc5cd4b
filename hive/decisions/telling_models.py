"""What came of asking a model, in words."""

from __future__ import annotations

from hive.facts.events import ModelRefused


def of_model(event: ModelRefused) -> str:
    until = f", until {event.until:%Y-%m-%d %H:%M %Z}" if event.until is not None else ""
    said = f"{event.agent} got no answer of its model ({event.provider}): {event.problem}{until}"
    return f"{said}: {event.detail}" if event.detail else said
