"""Every combination of table.yaml, which a person can read, against the gate."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from hive.decisions.merge_gate import MergePolicy, RequiredCheck, judge
from hive.facts.actors import Actor, ActorKind, Association
from hive.facts.forge import Check, Label, PullRequest, Review
from tests.decisions.merge_gate.good import ADA, AGENT, BUILD, HEAD, MISSING_AT, NOW, OLD, POLICY, PR, PUSHED

CONCLUSIONS = {"success", "failure", "cancelled", "timed_out", "action_required", "startup_failure"}
CONCLUSIONS |= {"stale", "neutral", "skipped", "a word of tomorrow"}
UNKNOWN = "not known"
OTHER = replace(BUILD, id=12, name="test")
PEOPLE = {
    "ada": ADA,
    "bob": replace(ADA, login="bob"),
    "eve": Actor("eve", ActorKind.PERSON, Association.NONE),
    "author": AGENT,
    "pusher": replace(ADA, login="pat"),
    "agent": Actor("hive-scanner", ActorKind.AGENT, Association.MEMBER),
}
BASE = replace(PR, pushers=("hive-quality", "pat"))
POLICIES = {
    "required": (RequiredCheck("build"),),
    "optional": (RequiredCheck("test"),),
    "unlisted": None,
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a section: what it sets on the pull request, and what it adds."""

    sets: dict[str, Any]
    adds: tuple[str, ...]


@cache
def table() -> dict[str, list[dict[str, Any]]]:
    text = (Path(__file__).parent / "table.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def checks(spelt: str) -> tuple[Check, ...]:
    """The other check, which is green, and `build` as the line has it."""
    if spelt == "absent":
        return (OTHER,)
    word, where = spelt.rsplit(" ", 1)
    run = replace(BUILD, head={"here": HEAD, "before": OLD}[where])
    if word in CONCLUSIONS:
        return OTHER, replace(run, conclusion=word)
    return OTHER, replace(run, status=word, conclusion=None)


def reviews(spelt: list[str] | str) -> tuple[Review, ...] | None:
    if isinstance(spelt, str):
        return None
    given = []
    for minute, one in enumerate(spelt):
        who, state, where = one.split()
        head = {"here": HEAD, "before": OLD}[where]
        given.append(Review(PEOPLE[who], state, head, PUSHED + timedelta(minutes=minute)))
    return tuple(given)


def labels(spelt: list[str] | str) -> tuple[Label, ...] | None:
    return None if isinstance(spelt, str) else tuple(Label(name) for name in spelt)


def known(value: Any) -> Any:
    return None if value == UNKNOWN else value


def sections(column: str) -> tuple[list[Line], ...]:
    """Every section's lines where the checks are read from `column`."""
    read = table()
    return (
        [Line({"checks": checks(row["build"])}, tuple(row[column])) for row in read["checks"]],
        [Line({"reviews": reviews(row["given"])}, tuple(row["adds"])) for row in read["reviews"]],
        [Line({"draft": known(row["draft"])}, tuple(row["adds"])) for row in read["drafts"]],
        [Line({"labels": labels(row["labels"])}, tuple(row["adds"])) for row in read["holds"]],
        [Line({"mergeable": known(row["mergeable"])}, tuple(row["adds"])) for row in read["merges"]],
    )


def expected(lines: tuple[Line, ...], *, late: bool) -> tuple[str, Counter[str]]:
    """The sum of what the lines say: the verdict, and how often each obstacle is named."""
    added = [obstacle for line in lines for obstacle in line.adds]
    codes = Counter(obstacle.split(" ")[0] for obstacle in added)
    blocks = [
        obstacle
        for obstacle in added
        if obstacle.endswith(" blocks") and (late or not obstacle.endswith("waits, then blocks"))
    ]
    return ("blocked" if blocks else "wait" if added else "merge"), codes


def judged(lines: tuple[Line, ...], policy: MergePolicy, now: datetime) -> tuple[str, Counter[str]]:
    sets = {field: value for line in lines for field, value in line.sets.items()}
    pull: PullRequest = replace(BASE, **sets)
    found = judge(pull, policy, now)
    return str(found.verdict), Counter(str(obstacle.code) for obstacle in found.obstacles)


@pytest.mark.parametrize("late", [False, True], ids=["in-time", "late"])
@pytest.mark.parametrize("column", POLICIES)
def test_each_combination_is_the_sum_of_what_its_lines_say(column: str, late: bool) -> None:
    policy = replace(POLICY, required=POLICIES[column], approvals=1, hold_labels=frozenset({"wip"}))
    now = MISSING_AT if late else NOW
    tried = 0
    for lines in product(*sections(column)):
        tried += 1
        assert judged(lines, policy, now) == expected(lines, late=late), [line.sets for line in lines]
    assert tried == 20 * 17 * 3 * 5 * 3


def test_the_table_names_every_conclusion_in_every_place() -> None:
    spelt = {row["build"] for row in table()["checks"]}
    assert {f"{conclusion} here" for conclusion in CONCLUSIONS} <= spelt
    assert {"absent", "success before", "failure before"} <= spelt
