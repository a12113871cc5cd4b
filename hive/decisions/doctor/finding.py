"""One finding, and what many of them make together.

With ``--json`` the document is::

    {"state": "ok|warning|problem", "source": "hive.yaml" or null,
     "checks": [{"name": "tmux", "state": "ok|warning|problem|skipped",
                 "found": "…", "remedy": "…" or null}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hive.decisions.counting import counted
from hive.decisions.one_line import one_line


class State(StrEnum):
    OK = "ok"
    SKIPPED = "skipped"
    """It does not apply here, or cannot be told."""
    WARNING = "warning"
    """Hive runs, and somebody ought to know."""
    PROBLEM = "problem"
    """Something that is configured will not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's answer.

    Attributes:
        name: Of the check, unique in a run: ``tmux``, ``repository o/r``, ``cluster east: rights``.
        found: One line.
        remedy: What to do, in one line; empty for nothing.
    """

    name: str
    state: State
    found: str
    remedy: str = ""


def ok(name: str, found: str) -> Finding:
    return Finding(name, State.OK, found)


def skipped(name: str, found: str, remedy: str = "") -> Finding:
    return Finding(name, State.SKIPPED, found, remedy)


def warning(name: str, found: str, remedy: str) -> Finding:
    return Finding(name, State.WARNING, found, remedy)


def problem(name: str, found: str, remedy: str) -> Finding:
    return Finding(name, State.PROBLEM, found, remedy)


def worst(findings: Iterable[Finding]) -> State:
    """The state of all together; what was skipped counts as fine."""
    states = {each.state for each in findings}
    return next((each for each in (State.PROBLEM, State.WARNING) if each in states), State.OK)


def document(findings: Sequence[Finding], source: str | None) -> dict[str, Any]:
    """What `hive doctor --json` prints; text of others is made fit for one line."""
    return {
        "state": worst(findings).value,
        "source": source,
        "checks": [
            {
                "name": one_line(each.name),
                "state": each.state.value,
                "found": one_line(each.found),
                "remedy": one_line(each.remedy) or None,
            }
            for each in findings
        ],
    }


def render(told: Mapping[str, Any]) -> str:
    """The same for a person: each line a check, its remedy below it, and the sum."""
    checks = told["checks"]
    width = max((len(each["name"]) for each in checks), default=0)
    lines = []
    for each in checks:
        lines.append(f"{each['state']:8} {each['name']:{width}}  {each['found']}")
        if each["remedy"]:
            lines.append(f"{'':8} {'':{width}}  → {each['remedy']}")
    counts = {state: sum(each["state"] == state for each in checks) for state in State}
    said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    return "\n".join([*lines, "", f"{counted(len(checks), 'check')}: {said}"])
