"""Working copies that stay though their tasks are over, for the status document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hive.facts.memory import Memory


def tree_rows(memory: Memory) -> Iterator[dict[str, Any]]:
    """By task: where it is, why it is kept, and how much only it has."""
    for task, tree in sorted(memory.trees.items()):
        if tree.kept is not None:
            yield {
                "task": task,
                "agent": tree.agent,
                "repo": tree.repo,
                "issue": tree.issue,
                "folder": tree.folder,
                "branch": tree.branch,
                "because": tree.because,
                "unsaved": {
                    "files": tree.kept.files,
                    "commits": tree.kept.commits,
                    "stashes": tree.kept.stashes,
                },
                "released_by": tree.released_by or None,
            }
