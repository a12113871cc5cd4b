"""The governor's mode in words."""

from __future__ import annotations

from hive.facts.governor_events import LoadModeChanged


def of_load(event: LoadModeChanged) -> str:
    return f"the load is {event.mode}: {event.why} (pressure {event.pressure:g})"
