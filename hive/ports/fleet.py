"""The clusters, as one thing that is kept in order."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from hive.facts.agents import SandboxSpec
from hive.facts.fleet_sighting import FleetSighting


class Fleet(Protocol):
    def reconcile(self, now: datetime) -> FleetSighting:
        """Look at everything, do what is due, and tell what is. Restartable at any point.

        Raises `Unreachable` when the hub does not answer; a member that does not is told of.
        """
        ...

    def close(self) -> None: ...


class SandboxRequests(Protocol):
    """What is asked of the fleet: SandboxRequests on the hub. Raises the failures of `ports.kubernetes`."""

    def ask(self, agent: str, sandbox: SandboxSpec) -> None:
        """Have the agent's request on the hub as `sandbox` says. Idempotent."""
        ...

    def withdraw(self, agent: str, request: str) -> None:
        """Delete a request (``NAMESPACE/NAME``). Content when it is not there; `Refused` for one that is
        not that agent's."""
        ...

    def close(self) -> None: ...
