from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hive.decisions.merge_gate import Judgement, MergeVerdict, Obstacle, ObstacleCode, judge
from hive.facts.forge import ChangedFile, Label, LinkedIssue
from tests.decisions.merge_gate.good import ADA, BUILD, HEAD, MERGES, NOW, POLICY, PR, PUSHED, outcome

BLOCKED, WAIT = MergeVerdict.BLOCKED, MergeVerdict.WAIT


def test_a_good_pull_request_merges_on_the_head_that_was_judged() -> None:
    assert judge(PR, POLICY, NOW) == Judgement(MergeVerdict.MERGE, HEAD, ())


def test_a_draft_is_for_its_author_to_mark_ready() -> None:
    assert outcome(replace(PR, draft=True)) == (BLOCKED, (("draft", "draft", None),))


@pytest.mark.parametrize("name", ["hold", "HOLD", "Hold", "wip", "WIP"])
def test_a_hold_label_holds_in_any_case(name: str) -> None:
    policy = replace(POLICY, hold_labels=frozenset({"Wip"}))
    judgement = judge(replace(PR, labels=(Label(name, ADA),)), policy, NOW)
    held = Obstacle(ObstacleCode.HOLD, name, f"label {name} was put on by ada")
    assert judgement == Judgement(BLOCKED, HEAD, (held,))


@pytest.mark.parametrize("name", ["on hold", "hold-off", "holding", "wip"])
def test_only_a_whole_name_holds(name: str) -> None:
    assert outcome(replace(PR, labels=(Label(name, ADA),))) == MERGES


def test_each_hold_is_named() -> None:
    pr = replace(PR, labels=(Label("wip"), Label("hold")))
    policy = replace(POLICY, hold_labels=frozenset({"wip"}))
    assert outcome(pr, policy) == (BLOCKED, (("hold", "hold", None), ("hold", "wip", None)))


@pytest.mark.parametrize(
    ("age", "settled"),
    [
        (timedelta(minutes=5), True),
        (timedelta(minutes=5) - timedelta(seconds=1), False),
        (timedelta(0), False),
        (timedelta(minutes=-3), False),
    ],
)
def test_a_push_settles_for_exactly_its_time(age: timedelta, settled: bool) -> None:
    pushed = NOW - age
    waits = (WAIT, (("settle", "push", pushed + timedelta(minutes=5)),))
    assert outcome(replace(PR, pushed_at=pushed)) == (MERGES if settled else waits)


def test_a_push_in_the_future_waits_even_without_a_settling_time() -> None:
    pushed = NOW + timedelta(seconds=1)
    policy = replace(POLICY, settle=timedelta(0))
    assert outcome(replace(PR, pushed_at=pushed), policy) == (WAIT, (("settle", "push", pushed),))


def test_a_time_beyond_the_calendar_is_the_last_one() -> None:
    policy = replace(POLICY, settle=timedelta(days=999_999_999))
    last = datetime.max.replace(tzinfo=UTC)
    assert outcome(PR, policy) == (WAIT, (("settle", "push", last),))


def test_a_conflict_blocks_and_an_unknown_one_waits() -> None:
    assert outcome(replace(PR, mergeable=False)) == (BLOCKED, (("conflict", "main", None),))
    assert outcome(replace(PR, mergeable=None)) == (WAIT, (("mergeable-unknown", "mergeable", None),))


def test_unresolved_threads_block_unless_the_policy_lets_them() -> None:
    pr = replace(PR, unresolved_threads=2)
    assert outcome(pr) == (BLOCKED, (("threads", "threads", None),))
    assert outcome(pr, replace(POLICY, resolve_threads=False)) == MERGES


@pytest.mark.parametrize(
    ("states", "closed"),
    [((), False), (("open",), False), (("closed", "open"), False), (("closed", "closed"), True)],
)
def test_work_whose_every_issue_is_closed_is_not_wanted_any_more(
    states: tuple[str, ...], closed: bool
) -> None:
    linked = tuple(LinkedIssue(number, state) for number, state in enumerate(states, start=3))
    blocked = (BLOCKED, (("issue-closed", "#3, #4", None),))
    assert outcome(replace(PR, linked_issues=linked)) == (blocked if closed else MERGES)


@pytest.mark.parametrize(
    "field",
    [
        "draft",
        "author",
        "pushers",
        "base",
        "head",
        "pushed_at",
        "labels",
        "checks",
        "reviews",
        "unresolved_threads",
        "linked_issues",
        "files",
    ],
)
def test_what_is_not_known_never_merges(field: str) -> None:
    spoiled: dict[str, Any] = {field: None}
    assert outcome(replace(PR, **spoiled)) == (BLOCKED, (("incomplete", field, None),))


@pytest.mark.parametrize("total", [0, 2, 131])
def test_a_short_read_is_incomplete(total: int) -> None:
    pr = replace(PR, checks_total=total, changed_files=total)
    assert outcome(pr) == (BLOCKED, (("incomplete", "checks", None), ("incomplete", "files", None)))


def test_counts_that_agree_are_complete() -> None:
    assert outcome(replace(PR, checks_total=1, changed_files=1)) == MERGES


def test_every_obstacle_is_named_at_once() -> None:
    pr = replace(
        PR,
        draft=True,
        labels=(Label("hold"),),
        pushed_at=NOW,
        mergeable=False,
        unresolved_threads=1,
        checks=(replace(BUILD, conclusion="failure"),),
        files=(ChangedFile("AGENTS.md"),),
        linked_issues=(LinkedIssue(3, "closed"),),
    )
    judgement = judge(pr, replace(POLICY, approvals=1), NOW)
    assert [str(each.code) for each in judgement.obstacles] == [
        "draft",
        "hold",
        "settle",
        "check-failed",
        "review-missing",
        "threads",
        "conflict",
        "protected-path",
        "issue-closed",
    ]


def test_obstacles_found_elsewhere_count() -> None:
    opens = NOW + timedelta(hours=8)
    quiet = Obstacle(ObstacleCode.QUIET_HOURS, "nights", "quiet hours", opens)
    guard = Obstacle(ObstacleCode.GUARDRAIL, "secrets", "a secret is in the diff")
    assert judge(PR, POLICY, NOW, others=[quiet]) == Judgement(WAIT, HEAD, (quiet,))
    assert judge(PR, POLICY, NOW, others=[guard, quiet]) == Judgement(BLOCKED, HEAD, (quiet, guard))


def test_the_answer_says_nothing_about_time_when_only_a_person_can_clear_it() -> None:
    judgement = judge(replace(PR, draft=True, pushed_at=NOW), POLICY, NOW)
    assert judgement.verdict == BLOCKED
    assert [each.until for each in judgement.obstacles] == [None, NOW + timedelta(minutes=5)]
    assert PUSHED < NOW
