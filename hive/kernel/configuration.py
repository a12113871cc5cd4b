"""The operator's configuration, which may change while hive runs. The composition root implements it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from hive.decisions.policy import Policy
from hive.facts.agents import AgentSpec
from hive.facts.events import Event


class Configuration(Protocol):
    @property
    def policy(self) -> Policy: ...

    @property
    def specs(self) -> Mapping[str, AgentSpec]:
        """By name; the same agents as the policy's."""
        ...

    @property
    def tick(self) -> timedelta:
        """Longest time between two ticks."""
        ...

    @property
    def poll(self) -> timedelta:
        """Between two looks at a repository."""
        ...

    def has_changed(self) -> bool:
        """Whether the file is another than the one that was read. Cheap: asked every second."""
        ...

    def refresh(self, *, force: bool = False) -> tuple[Event, ...]:
        """Read the file again if it changed (or `force`), all of it or nothing; what to record of it.

        A wrong file leaves everything as it was.
        """
        ...
