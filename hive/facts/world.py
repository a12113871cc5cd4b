"""One look at everything, with what could not be seen said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from hive.facts.agents import AgentSighting
from hive.facts.fleet_sighting import FleetSighting
from hive.facts.forge import RepositorySnapshot
from hive.facts.quotas import Pace

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seen(Generic[T]):
    """A section of the world and when it was looked at (UTC)."""

    value: T
    at: datetime


@dataclass(frozen=True, slots=True)
class Unseen:
    """A section that could not be looked at. It is not empty: nothing is known about it.

    `is_early`: nobody has looked yet, which is no failure.
    """

    because: str
    at: datetime
    is_early: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """Every section of one look.

    Attributes:
        agents: Sessions of hive's terminal and of sandbox pods that belong to an agent, known or not.
        repos: By ``OWNER/NAME``, one entry for each configured repository.
        fleet: Where sandboxes are; None where no cluster is configured.
        hidden: Agents of whom nothing is known now though others are seen, and why: an agent in a pod has
            a terminal of its own, which fails by itself.
        pace: How often repositories are looked at.
    """

    now: datetime
    agents: Seen[tuple[AgentSighting, ...]] | Unseen
    repos: Mapping[str, Seen[RepositorySnapshot] | Unseen]
    fleet: Seen[FleetSighting] | Unseen | None = None
    hidden: Mapping[str, str] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
