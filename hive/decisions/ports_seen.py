"""Which ports fail and which came back: events from what could not be seen."""

from __future__ import annotations

from collections.abc import Iterator

from hive.facts.events import Event, PortFailed, PortRecovered
from hive.facts.memory import Memory
from hive.facts.world import Unseen, World


def port_events(world: World, memory: Memory) -> tuple[Event, ...]:
    """A `PortFailed` for each new failure, a `PortRecovered` for each port that is seen again."""
    return tuple(_events(world, memory))


def _events(world: World, memory: Memory) -> Iterator[Event]:
    sections = {"terminal": world.agents, **{f"forge {repo}": seen for repo, seen in world.repos.items()}}
    for port, section in sections.items():
        if isinstance(section, Unseen):
            if port not in memory.ports and not section.is_early:
                yield PortFailed(port=port, message=section.because)
        elif port in memory.ports:
            yield PortRecovered(port=port)
