"""Obstacles in the files: changes to what governs agents, CI and ownership are for a person to merge."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.merge_gate.judgement import Obstacle, ObstacleCode
from hive.decisions.merge_policy import MergePolicy
from hive.facts.forge import PullRequest
from hive.facts.protected_paths import is_protected

_LINKS = {"120000": "symbolic link", "160000": "submodule"}
"""git's modes of entries that stand for something outside of the path itself."""


def path_obstacles(pr: PullRequest, policy: MergePolicy) -> Iterator[Obstacle]:
    for changed in pr.files or ():
        if changed.mode in _LINKS:
            because = f"{changed.path} is a {_LINKS[changed.mode]}"
            yield Obstacle(ObstacleCode.PROTECTED_PATH, changed.path, because)
        for name in dict.fromkeys(name for name in (changed.path, changed.previous) if name):
            if is_protected(name, policy.protected_paths):
                because = f"{name} is protected; a person merges changes to it"
                yield Obstacle(ObstacleCode.PROTECTED_PATH, name, because)
