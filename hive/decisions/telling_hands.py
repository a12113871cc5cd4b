"""What operators did with their own hands in an agent's terminal, in words."""

from __future__ import annotations

from hive.facts.events import AgentAttached, DialogAnswered


def of_hands(event: DialogAnswered | AgentAttached) -> str:
    if isinstance(event, AgentAttached):
        return f"{event.by} opened the terminal of {event.agent}"
    return f"{event.by} chose '{event.option}' for {event.agent}: {event.question}"
