"""`hive acmm decide` and `hive acmm table`: the autonomy table, asked for one ruling or shown whole."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from hive.decisions.autonomy import ANY_OTHER, AutonomyTable, rule
from hive.decisions.one_line import printable
from hive.errors import ConfigError
from hive.facts.autonomy import AcmmLevel, Action, Mode
from hive.facts.verdicts import Ruling
from hive.settings.acmm import load_table
from hive.surfaces.shapes import Answer

_MARKS = {"allow": "yes", "hold": "hold", "deny": "no"}


class DecideAnswer(Answer):
    """The output of `hive acmm decide`; `mode` is null where the role is not started at that level."""

    ruling: Ruling
    mode: Mode | None
    rule: str
    because: str


class TableAnswer(Answer):
    """The output of `hive acmm table`: level, role, mode (null: not started); and mode, action, ruling."""

    levels: dict[str, dict[str, Mode | None]]
    modes: dict[Mode, dict[Action, Ruling]]


def acmm_decide(level: str, role: str, action: str, mode: str | None = None) -> tuple[dict[str, Any], int]:
    """Rule on one action, all given as text. Returns the answer and the exit code: 0 for allow, 1 else.

    Raises `ConfigError` for a level, action or mode that is none, and for a misspelt role.
    """
    cap = None if mode is None else Mode(_known("mode", mode, Mode))
    ruled = rule(load_table(), level_of(level), role, Action(_known("action", action, Action)), cap=cap)
    verdict = ruled.verdict
    answer = DecideAnswer(ruling=verdict.ruling, mode=ruled.mode, rule=verdict.rule, because=verdict.because)
    return answer.model_dump(mode="json"), 0 if verdict.ruling == Ruling.ALLOW else 1


def acmm_table(table: AutonomyTable | None = None) -> dict[str, Any]:
    """The whole table, by default the one that hive ships."""
    table = table or load_table()
    rows: Mapping[str, tuple[Mode | None, ...]] = {**table.roles, ANY_OTHER: table.other}
    levels = {str(int(level)): {role: row[level - 1] for role, row in rows.items()} for level in AcmmLevel}
    modes = {mode: {action: _ruling(table, mode, action) for action in Action} for mode in Mode}
    return TableAnswer(levels=levels, modes=modes).model_dump(mode="json")


def level_of(text: str) -> AcmmLevel:
    """``4`` or ``L4``. Raises `ConfigError` for anything else."""
    names = {name: level for level in AcmmLevel for name in (str(int(level)), f"L{int(level)}")}
    try:
        return names[text.strip().upper()]
    except KeyError:
        raise ConfigError(f"'{text}' is no level; write 1 to 6") from None


def render_decision(answer: dict[str, Any]) -> str:
    """The ruling for a person."""
    return printable(f"{answer['ruling']}: {answer['because']} [{answer['rule']}]")


def render_table(answer: dict[str, Any]) -> str:
    """Both tables for a person."""
    levels, modes = answer["levels"], answer["modes"]
    heads = [f"L{level}" for level in levels]
    roles = [[role, *(levels[level][role] or "-" for level in levels)] for role in levels["1"]]
    actions = [
        [action, *(_MARKS[modes[mode][action]] for mode in modes)] for action in modes[Mode.ADVISORY.value]
    ]
    return "\n\n".join([_columns([["role", *heads], *roles]), _columns([["action", *modes], *actions])])


def _ruling(table: AutonomyTable, mode: Mode, action: Action) -> Ruling:
    return Ruling.DENY if action in table.never else table.rulings[action][mode]


def _known(what: str, word: str, known: Iterable[str]) -> str:
    words = [str(each) for each in known]
    if word in words:
        return word
    near = difflib.get_close_matches(word.casefold().replace("_", "-"), words, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(words)}"
    raise ConfigError(f"unknown {what} '{word}'; {hint}")


def _columns(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in padded)
