"""The fleet as a reconcile left it: where each sandbox is, and how each cluster does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hive.facts.fleet import Problem
from hive.facts.kubernetes import PodRef

AGENT = "hive.fleet/agent"
"""Label of a SandboxRequest that hive asks for: the agent's name."""
DIGEST = "hive.fleet/digest"
"""Annotation of such a request: `SandboxSpec.digest` of what was asked."""


class SandboxPhase(StrEnum):
    """How far a sandbox is; an observation, never an echo of a wish."""

    PENDING = "pending"
    """No cluster suits now; the message says whether one ever could."""
    PLACED = "placed"
    """A cluster is chosen, and has not got it yet."""
    STARTING = "starting"
    """The cluster has it; its pod does not take commands yet."""
    READY = "ready"
    MOVING = "moving"
    """It has to be somewhere else; the old copy is not proven gone yet."""
    AWAY = "away"
    """Its cluster cannot be looked at: it may well run there."""
    FAILED = "failed"
    """Its pod does not come up by itself: refused, or an image that cannot be pulled."""
    WITHDRAWN = "withdrawn"
    """It is being removed for good."""


@dataclass(frozen=True, slots=True)
class SandboxSighting:
    """One request and what became of it.

    Attributes:
        request: ``NAMESPACE/NAME``.
        agent, digest: Of what hive asked for (`SandboxSpec.digest`); empty where it was not hive's asking.
        since: When it came into this phase (UTC).
        message: One line for a person: why it is not further.
        cluster: Where it is placed, or still is while it moves; empty where nowhere.
        pod, pod_uid: Its pod, once there is one that lives.
        why: By cluster: chosen, fits or not, and the reason.
    """

    request: str
    phase: SandboxPhase
    since: datetime
    message: str = ""
    agent: str = ""
    digest: str = ""
    cluster: str = ""
    node: str = ""
    pod: PodRef | None = None
    pod_uid: str = ""
    why: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClusterSighting:
    """A member. `seen_at` is of the last look that was answered; None: never. `message`: why it is not
    available, empty where it is."""

    name: str
    is_available: bool
    seen_at: datetime | None
    message: str = ""


@dataclass(frozen=True, slots=True)
class FleetSighting:
    """All of it. Orders are those of the names."""

    sandboxes: tuple[SandboxSighting, ...] = ()
    clusters: tuple[ClusterSighting, ...] = ()
    problems: tuple[Problem, ...] = ()

    def of_agent(self, agent: str) -> SandboxSighting | None:
        return next((one for one in self.sandboxes if one.agent == agent), None)
