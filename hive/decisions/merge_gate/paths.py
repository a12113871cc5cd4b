"""Obstacles in the files: changes to what governs agents, CI and ownership are for a person to merge."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hive.decisions.merge_gate.judgement import Obstacle, ObstacleCode
from hive.decisions.merge_policy import MergePolicy
from hive.facts.forge import PullRequest

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DEFAULT_PROTECTED = (
    ".github",
    ".circleci",
    ".gitlab-ci.yml",
    "CODEOWNERS",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".goosehints",
    ".claude",
    ".gemini",
    ".copilot",
    ".mcp.json",
    ".hive",
)
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


def is_protected(path: str, added: tuple[str, ...] = ()) -> bool:
    """Whether `path` matches the defaults and the patterns `added`, in any case.

    As in git, a file below a matching folder matches, whatever an exception says about the file's name:
    ``!CLAUDE.md`` does not open ``.claude/CLAUDE.md``. Raises `ValueError` for a pattern that is none.
    """
    spec = compiled(added)
    parts = _folded(path).split("/")
    folders = ("/".join(parts[:end]) + "/" for end in range(1, len(parts)))
    return any(spec.match_file(name) for name in folders) or spec.match_file("/".join(parts))


@lru_cache(maxsize=64)
def compiled(added: tuple[str, ...]) -> GitIgnoreSpec:
    """The defaults and `added`, ready to match. Raises `ValueError` for a pattern that is none."""
    import re

    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(_folded(pattern) for pattern in (*DEFAULT_PROTECTED, *added))
    except re.error as error:
        raise ValueError(f"no pattern of .gitignore: {error}") from error


def _folded(name: str) -> str:
    """Case and composition of accents do not tell names apart on every file system."""
    return unicodedata.normalize("NFC", name.casefold())
