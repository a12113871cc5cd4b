"""Paths of what governs agents, CI and ownership: changes to them are for a person."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

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


@lru_cache(maxsize=65_536)
def is_protected(path: str, added: tuple[str, ...] = ()) -> bool:
    """Whether `path` matches the defaults and the patterns `added`, in any case.

    As in git, a file below a matching folder matches, whatever an exception says about the file's name:
    ``!CLAUDE.md`` does not open ``.claude/CLAUDE.md``. Answers are kept: each open pull request's files are
    asked about at every tick. Raises `ValueError` for a pattern that is none.
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
