"""Which rule of the configuration an issue falls under, and by what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from hive.decisions.foreign_text import without_any
from hive.decisions.triage_policy import Rule, TriagePolicy, same_name
from hive.facts.forge import Issue

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_ADDRESS = re.compile(r"https?://\S+")
_TOKEN = re.compile(r"[\w.@+/-]+")


@dataclass(frozen=True, slots=True)
class Filed:
    """The rule that an issue falls under, and by what: ``label bug``, ``word crash``, ``path docs/a.md``."""

    name: str | None = None
    by: str = ""


_UNFILED = Filed()


@dataclass(frozen=True, slots=True)
class Filing:
    """Under what of each kind of rule an issue falls; the first that matches."""

    lane: Filed = _UNFILED
    kind: Filed = _UNFILED
    size: Filed = _UNFILED

    @property
    def words(self) -> Iterator[str]:
        """``kind bug by label bug``, for each of which there is a rule."""
        parts = (("lane", self.lane), ("kind", self.kind), ("size", self.size))
        return (f"{what} {filed.name} by {filed.by}" for what, filed in parts if filed.name)


_NOWHERE = Filing()


def filing(issue: Issue, policy: TriagePolicy) -> Filing:
    """Lane, kind and size of `issue`."""
    if not (policy.lanes or policy.kinds or policy.sizes):
        return _NOWHERE
    text = without_any(f"{issue.title}\n{issue.body}").casefold()
    return Filing(*(_first(rules, issue, text) for rules in (policy.lanes, policy.kinds, policy.sizes)))


def _first(rules: Sequence[Rule], issue: Issue, text: str) -> Filed:
    for rule in rules:
        by = _matched(rule, issue, text)
        if by:
            return Filed(rule.name, by)
    return _UNFILED


def _matched(rule: Rule, issue: Issue, text: str) -> str:
    """By what `issue` falls under `rule`; empty where it does not."""
    for label in issue.labels:
        if any(same_name(label.name, wanted) for wanted in rule.labels):
            return f"label {label.name}"
    for word in rule.words:
        bare = word.strip().casefold()
        if bare and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", text):
            return f"word {word.strip()}"
    if rule.paths:
        spec = paths_spec(rule.paths)
        return next((f"path {path}" for path in _paths(text) if spec.match_file(path)), "")
    return ""


def _paths(text: str) -> Iterator[str]:
    """What looks like a file or folder of the repository: it has a slash or a dot within."""
    for token in _TOKEN.findall(_ADDRESS.sub(" ", text)):
        bare = token.removeprefix("./").lstrip("/").rstrip(".")
        if "/" in bare or "." in bare[1:]:
            yield bare


@lru_cache(maxsize=64)
def paths_spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """`patterns` as in .gitignore, for names in lower case. Raises `ValueError` for one that is none."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(pattern.casefold() for pattern in patterns)
    except re.error as error:
        raise ValueError(f"no pattern of .gitignore: {error}") from error
