"""What became of the fleet's sandboxes at one look: what the supervisor knows of pods.

Immutable and small: it is read in every tick.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hive.facts.fleet import Problem


class SandboxPhase(StrEnum):
    """How far a sandbox is. The first that applies, from the top."""

    WITHDRAWN = "withdrawn"
    """Nobody asks for it any more; what is left of it is being removed."""
    AWAY = "away"
    """Where it is or should be, nothing can be seen now. It may well be running."""
    MOVING = "moving"
    """It waits until its former copy was seen to be gone."""
    PENDING = "pending"
    """It has no place."""
    FAILED = "failed"
    """A person has to look, though hive goes on trying; `message` says at what."""
    PLACED = "placed"
    """A cluster is chosen; nothing of it is there yet."""
    STARTING = "starting"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class PodSighting:
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class SandboxSighting:
    """One request and its sandbox.

    Attributes:
        request: ``NAMESPACE/NAME``.
        since: When it came into this phase (UTC).
        cluster: Where it is, or is on its way to; None without a place.
        node, pod: Of a copy that was seen.
        message: One line for a person; empty where there is nothing to say.
        why: Clusters and the reasons for and against each, the nearest first.
        is_hopeless: No cluster that there is could serve it even if it were empty.
    """

    request: str
    phase: SandboxPhase
    since: datetime
    cluster: str | None = None
    node: str | None = None
    pod: PodSighting | None = None
    message: str = ""
    why: tuple[tuple[str, str], ...] = ()
    is_hopeless: bool = False


@dataclass(frozen=True, slots=True)
class ClusterSighting:
    """One member.

    Attributes:
        seen_at: When what hive delivered there was last seen; None: never since hive started.
        away_since: Since when it cannot be seen; None while it can.
        because: Why it cannot be seen.
    """

    name: str
    seen_at: datetime | None = None
    away_since: datetime | None = None
    because: str = ""

    @property
    def is_available(self) -> bool:
        return self.away_since is None


@dataclass(frozen=True, slots=True)
class FleetSighting:
    """Each part in plain string order of what names its entries."""

    at: datetime
    sandboxes: tuple[SandboxSighting, ...] = ()
    clusters: tuple[ClusterSighting, ...] = ()
    problems: tuple[Problem, ...] = ()

    def sandbox(self, request: str) -> SandboxSighting | None:
        """Of the request with that key."""
        return next((each for each in self.sandboxes if each.request == request), None)
