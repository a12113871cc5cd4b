"""Transcripts that agents' programs write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Transcripts(Protocol):
    def lines(self, path: str) -> tuple[str, ...]:
        """Whole lines of the file at `path`, oldest first, at most the newest few thousand; () when it is
        not there. Cheap when nothing was added since the last call."""
        ...

    def found(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """Paths of the files that match any of the absolute `patterns`, sorted."""
        ...
