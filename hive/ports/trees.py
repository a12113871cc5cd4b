"""Working copies in agents' homes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hive.facts.agents import AgentSpec
from hive.facts.trees import Removal, TreeReport, TreeSighting

Judge = Callable[[TreeSighting], tuple[str, ...]]
"""What is against the removal of a tree; empty where nothing is."""


class Trees(Protocol):
    """Thread-safe; calls about one agent go one after another.

    Every method raises `Refused` with the reason when it cannot be done; nothing half made is left then.
    """

    def prepare(self, spec: AgentSpec, *, repo: str, name: str, branch: str, base: str) -> TreeReport:
        """Have the tree, on `branch` where it is new. Idempotent: what is there is found, with all in it."""
        ...

    def remove(
        self,
        spec: AgentSpec,
        *,
        repo: str,
        name: str,
        pulls: tuple[int, ...],
        judge: Judge,
        rescue: bool = False,
    ) -> Removal:
        """Remove the tree where `judge` has nothing against it. It is asked about the tree as it stands, and
        once more when it is out of its programs' reach. Commits that no branch leads to are kept in the
        agent's store; with `rescue` all that the forge does not have is. Idempotent."""
        ...

    def folder(self, agent: str, repo: str, name: str) -> str:
        """Absolute path of the tree, whether it is there or not."""
        ...
