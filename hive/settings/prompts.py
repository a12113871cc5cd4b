"""Templates of prompts: those that hive ships, and the operator's own in their place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hive import assets
from hive.decisions.prompt.template import PromptTemplate, fault
from hive.errors import ConfigError
from hive.facts.work import TaskKind

FOLDER = "config/prompts"
_LONGEST = 64 * 1024
"""Bytes of one template: the most that one body takes at the forge, too."""


def load_prompts(own: Path | None = None) -> Mapping[TaskKind, PromptTemplate]:
    """The template of each kind of task; one of the operator's folder `own` goes before hive's.

    Raises `ConfigError` with file and line for a template with a fault, and for a file whose name is no kind.
    """
    shipped = {kind: _shipped(kind) for kind in TaskKind}
    return shipped if own is None else {**shipped, **_own(own)}


def _shipped(kind: TaskKind) -> PromptTemplate:
    name = f"{FOLDER}/{kind}.md"
    return _checked(assets.text(name), name)


def _own(folder: Path) -> Mapping[TaskKind, PromptTemplate]:
    found = {}
    for path in sorted(folder.glob("*.md")):
        if path.stem not in set(TaskKind):
            kinds = ", ".join(f"{kind}.md" for kind in TaskKind)
            raise ConfigError(f"no kind of task is called {path.stem}; there are {kinds}", source=str(path))
        found[TaskKind(path.stem)] = _checked(_read(path), str(path))
    return found


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
        if len(data) > _LONGEST:
            raise ConfigError(f"it is longer than {_LONGEST} bytes", source=str(path))
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"it cannot be read: {error}", source=str(path)) from error


def _checked(text: str, source: str) -> PromptTemplate:
    wrong = fault(text)
    if wrong is not None:
        raise ConfigError(wrong.complaint, source=source, line=wrong.line)
    return PromptTemplate(source, text)
