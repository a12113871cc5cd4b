"""Places for agents: folders, files and environment, made ready before a start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hive.contracts.backend import Launch
from hive.facts.agents import AgentSpec


@dataclass(frozen=True, slots=True)
class ReadySeat:
    """Everything that a start needs."""

    launch: Launch
    workdir: str


class Seats(Protocol):
    def prepare(self, spec: AgentSpec, *, generation: int, token: str, resume: str = "") -> ReadySeat:
        """Make the agent's folders and files (0700 and 0600). Idempotent; keeps what the agent made.
        `resume` is the conversation to go on with.

        Raises `Refused` when the folders cannot be made.
        """
        ...

    def home(self, agent: str) -> str:
        """Absolute path of the agent's own HOME."""
        ...


class LocalSeats(Seats, Protocol):
    """On this machine, where hive reaches an agent's files while it runs."""

    def vacate(self, agent: str) -> None:
        """End what is left of the agent's processes once its session is gone. Idempotent.

        Raises `Refused` when they do not end.
        """
        ...

    def version(self, spec: AgentSpec) -> str:
        """What the agent's program says of its version; empty where it says nothing, or runs a command of
        the operator's own."""
        ...

    def renew(self, spec: AgentSpec, *, token: str) -> None:
        """Put another token where the agent's tools read it.

        Raises `Refused` when it cannot be written; the one before is then in its place.
        """
        ...
