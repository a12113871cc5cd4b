"""What a repository says to those who work on it: as its default branch has it, never a pull request."""

from __future__ import annotations

from dataclasses import dataclass

ROOT_FILES = ("AGENTS.md", "CLAUDE.md")
FOLDER = ".hive/knowledge"
MOST_FILES = 20
"""Of the folder, by name."""
LARGEST = 128 * 1024
"""Bytes of a file that is read at all."""


@dataclass(frozen=True, slots=True)
class KnowledgeFile:
    """`id` is git's of the content."""

    path: str
    id: str
    text: str
