"""Repositories in which nothing is merged now, for the status document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.decisions.instants import iso
from hive.facts.memory import Memory


def merging_rows(memory: Memory) -> Iterator[dict[str, Any]]:
    for repo, hold in sorted(memory.merging.items()):
        yield {
            "repo": repo,
            "base": hold.base or None,
            "commit": hold.commit or None,
            "number": hold.number or None,
            "because": hold.because,
            "by": hold.by or None,
            "since": iso(hold.at),
        }
