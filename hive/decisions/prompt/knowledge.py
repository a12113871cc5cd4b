"""The repository's own words in a prompt: fenced as all that others wrote, within a bound of their own."""

from __future__ import annotations

from collections.abc import Sequence

from hive.decisions.prompt.foreign import Foreign
from hive.facts.knowledge import KnowledgeFile


def take_knowledge(foreign: Foreign, files: Sequence[KnowledgeFile], max_chars: int) -> None:
    """Take in the beginnings of `files`, at most `max_chars` characters together; those for which no room is
    left are counted."""
    if not files or max_chars <= 0:
        return
    own = Foreign(max_chars)
    for file in files:
        own.offer(f"repository's own words, {_shown(file.path)}", "its default branch", file.text.strip("\n"))
    foreign.parts.extend(own.parts)
    foreign.stripped.extend(own.stripped)
    foreign.knowledge += len(own.parts)
    foreign.unread += own.omitted


def _shown(path: str) -> str:
    """A heading is hive's own line, and no file's name may write on in it."""
    return "".join(one if one.isascii() and (one.isalnum() or one in "._-/") else "?" for one in path)[:120]
