"""What a GitHub App is permitted: GitHub's names, and the levels in their order."""

from __future__ import annotations

from collections.abc import Mapping

LEVELS = ("read", "write", "admin")
"""Each holds those before it."""

NEEDED: Mapping[str, str] = {
    "actions": "read",
    "checks": "read",
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "read",
}
"""The least without which hive cannot do its work."""

USED: Mapping[str, str] = {
    **NEEDED,
    "administration": "read",
    "merge_queues": "write",
    "workflows": "write",
}
"""All that hive ever uses; a token gets as much of it as the App has. ``administration`` is for reading the
rules on branches, ``workflows`` for what operators allow agents to change there."""


def reaches(granted: str | None, level: str) -> bool:
    """Whether a permission that was granted, if any, is at least `level`."""
    return granted in LEVELS and LEVELS.index(granted) >= LEVELS.index(level)
