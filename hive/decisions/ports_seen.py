"""Which ports fail and which came back: events from what could not be seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.facts.events import Event, PortFailed, PortRecovered
from hive.facts.memory import Memory
from hive.facts.world import Seen, Unseen, World


def port_events(world: World, memory: Memory) -> tuple[Event, ...]:
    """A `PortFailed` for each new failure, a `PortRecovered` for each port that is seen again."""
    return tuple(_events(world, memory))


def _events(world: World, memory: Memory) -> Iterator[Event]:
    sections: dict[str, Seen[Any] | Unseen] = {"terminal": world.agents}
    sections |= {f"forge {repo}": seen for repo, seen in world.repos.items()}
    if world.fleet is not None:
        sections["fleet"] = world.fleet
    for port, section in sections.items():
        if isinstance(section, Unseen):
            if port not in memory.ports and not section.is_early:
                yield PortFailed(port=port, message=section.because)
        elif port in memory.ports:
            yield PortRecovered(port=port)
