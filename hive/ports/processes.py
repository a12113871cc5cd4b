"""Processes of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hive.contracts.backend import Process


class Processes(Protocol):
    def tree(self, roots: Sequence[int]) -> dict[int, tuple[Process, ...]]:
        """For each root pid: itself and all its descendants, parents first; empty when it is gone.
        Zombies are left out."""
        ...
