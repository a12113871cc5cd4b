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
from hive.facts.bases import NO_RULES, BaseRules, RequiredContext
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
TIP = "ba5e"
ACTIONS = 15368
BASE = replace(PR, pushers=("hive-quality", "pat"), base_tip=TIP)
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


RULES = {
    "locked": BaseRules(locked=True),
    "linear": BaseRules(linear=True),
    "signatures": BaseRules(signatures=True),
    "merge only": BaseRules(methods=frozenset({"merge"})),
    "a rule of tomorrow": BaseRules(others=("tomorrow",)),
    "one approval": BaseRules(approvals=1),
    "last push": BaseRules(last_push=True),
    "no rules": NO_RULES,
    "none": NO_RULES,
}


def base(spelt: str) -> dict[str, Any]:
    """What a line of `bases` sets."""
    if spelt in RULES:
        return {"rules": RULES[spelt]}
    match spelt.split():
        case ["not", "known"]:
            return {"rules": None}
        case ["checks", "not", "known"]:
            return {"base_checks": None}
        case ["wants", name, *by]:
            context = RequiredContext(name, int(by[1]) if by else None)
            return {"rules": BaseRules(contexts=(context,))}
        case ["strict" | "lax" as strictness, "and", behind, *_]:
            rules = BaseRules(strict=strictness == "strict")
            return {"rules": rules, "behind": None if behind == "not" else int(behind)}
        case ["deployments", *environments]:
            return {"rules": BaseRules(deployments=tuple(environments))}
        case ["build", conclusion, *more]:
            return {"base_checks": base_runs(conclusion, " ".join(more))}
    raise AssertionError(spelt)


def base_runs(word: str, more: str) -> tuple[Check, ...]:
    if word in CONCLUSIONS:
        run = replace(BUILD, head=OLD if more == "earlier" else TIP, conclusion=word)
    else:
        run = replace(BUILD, head=TIP, status=word, conclusion=None)
    again = (replace(run, id=run.id + 1, conclusion="success"),) if more == "then success" else ()
    return (run, *again)


def approval_rule(spelt: str) -> dict[str, Any]:
    """What a line of `approvals` sets besides the reviews."""
    if spelt in RULES:
        return {"rules": RULES[spelt]}
    _, decision = spelt.split()
    decided = "" if decision == "unknown" else decision
    return {"rules": BaseRules(code_owners=True), "review_decision": decided}


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


def judged(
    lines: tuple[Line, ...], policy: MergePolicy, now: datetime, pr: PullRequest = BASE
) -> tuple[str, Counter[str]]:
    sets = {field: value for line in lines for field, value in line.sets.items()}
    pull: PullRequest = replace(pr, **sets)
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


@pytest.mark.parametrize("late", [False, True], ids=["in-time", "late"])
def test_what_the_rules_of_the_base_require_counts_as_what_the_policy_does(late: bool) -> None:
    policy = replace(POLICY, required=(RequiredCheck("test"),), approvals=1, hold_labels=frozenset({"wip"}))
    pr = replace(BASE, rules=BaseRules(contexts=(RequiredContext("build"),)))
    checked, reviewed, drafts, holds, merges = sections("required")
    for lines in product(checked, reviewed[:3], drafts, holds, merges):
        found = judged(lines, policy, MISSING_AT if late else NOW, pr)
        assert found == expected(lines, late=late), [line.sets for line in lines]


@pytest.mark.parametrize("late", [False, True], ids=["in-time", "late"])
@pytest.mark.parametrize("required", [(RequiredCheck("build"),), None], ids=["required", "unlisted"])
def test_each_base_adds_its_own_to_every_draft_hold_merge_and_review(
    required: tuple[RequiredCheck, ...] | None, late: bool
) -> None:
    build = replace(BUILD, app_id=ACTIONS)
    policy = replace(POLICY, required=required, approvals=1, hold_labels=frozenset({"wip"}))
    bases = [Line(base(row["base"]), tuple(row["adds"])) for row in table()["bases"]]
    _, reviewed, drafts, holds, merges = sections("optional")
    for lines in product(bases, reviewed[:4], drafts, holds, merges):
        found = judged(lines, policy, MISSING_AT if late else NOW, replace(BASE, checks=(build,)))
        assert found == expected(lines, late=late), [line.sets for line in lines]


@pytest.mark.parametrize("by_policy", [0, 1])
def test_each_rule_on_approvals_adds_its_own(by_policy: int) -> None:
    for row in table()["approvals"]:
        line = Line(
            {"reviews": reviews(row["given"]), **approval_rule(row["rule"])},
            tuple(row["adds"]),
        )
        codes = expected((line,), late=False)[1]
        if by_policy and row["given"] == []:
            codes["review-missing"] = 1
        found = judged((line,), replace(POLICY, approvals=by_policy), NOW)[1]
        assert found == codes, row


def test_the_table_names_every_conclusion_in_every_place() -> None:
    spelt = {row["build"] for row in table()["checks"]}
    assert {f"{conclusion} here" for conclusion in CONCLUSIONS} <= spelt
    assert {"absent", "success before", "failure before"} <= spelt
