from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.triage import Kind, Lane, TriageItem, TriagePolicy, by_urgency, timely_words, triage
from hive.facts.forge import Issue, Label
from tests.decisions.triage.good import ADA, APP, EVE, ISSUE, T0, said

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
POLICY = TriagePolicy(
    lanes=(Lane("quality", ("quality",)), Lane("docs", ("docs",))),
    kinds=(
        Kind("security", ("security",), sla=DAY),
        Kind("bug", ("bug",), sla=7 * DAY),
        Kind("chore", ("chore",)),
    ),
    stale_after=30 * DAY,
)
SLAS = {"docs": 14 * DAY, "": 60 * DAY}
NOW = T0 + 100 * DAY


def issue(number: int, age: timedelta, *labels: str) -> Issue:
    return replace(
        ISSUE,
        number=number,
        title="",
        body="",
        created_at=NOW - age,
        labels=tuple(Label(name, ADA, NOW - age) for name in labels),
    )


def queue(*issues: Issue) -> tuple[TriageItem, ...]:
    return by_urgency(triage(issues, POLICY), issues, POLICY, SLAS, NOW)


def words(one: Issue) -> list[str]:
    item = next(item for item in queue(one) if item.number == one.number)
    return list(timely_words(item, one, POLICY, SLAS, NOW))


def test_the_longest_overdue_goes_before_all_and_the_others_keep_their_order() -> None:
    given_issues = (
        issue(1, 2 * HOUR, "quality"),
        issue(2, 15 * DAY, "docs"),
        issue(3, 3 * DAY, "security"),
        issue(4, 6 * DAY, "bug"),
        issue(5, 59 * DAY),
        replace(issue(6, 90 * DAY), author=EVE),
    )
    assert [(item.number, item.rank) for item in queue(*given_issues)] == [
        (3, 1),
        (2, 2),
        (1, 3),
        (4, 4),
        (5, 5),
        (6, None),
    ]


def test_without_any_sla_the_order_is_that_of_triage() -> None:
    given_issues = (issue(1, 90 * DAY), issue(2, DAY, "quality"))
    policy = TriagePolicy(lanes=POLICY.lanes)
    items = triage(given_issues, policy)
    assert by_urgency(items, given_issues, policy, {}, NOW) is items


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (issue(1, 3 * DAY, "security"), ["3d old", "2d over its SLA of 1d (kind security)"]),
        (issue(1, 25 * HOUR, "security"), ["25h old", "1h over its SLA of 1d (kind security)"]),
        (issue(1, 5 * DAY, "bug", "docs"), ["5d old", "due in 2d (kind bug)"]),
        (issue(1, 5 * DAY, "chore", "docs"), ["5d old", "due in 9d (lane docs)"]),
        (issue(1, 5 * DAY, "chore"), ["5d old", "due in 55d (default)"]),
        (
            issue(1, 31 * DAY),
            ["31d old", "due in 29d (default)", "stale: nobody said or changed anything for 31d"],
        ),
        (replace(issue(1, 3 * DAY, "security"), author=EVE), ["3d old"]),
        (replace(issue(1, DAY), created_at=None), []),
        (issue(1, -HOUR), ["0m old", "due in 60d (default)"]),
    ],
)
def test_an_item_says_its_age_its_sla_and_whether_it_is_stale(one: Issue, told: list[str]) -> None:
    assert words(one) == told


def test_what_a_person_says_or_changes_ends_staleness_and_what_an_app_says_does_not() -> None:
    old = issue(1, 40 * DAY)
    recent = NOW - 2 * DAY
    stale = "stale: nobody said or changed anything for 40d"
    assert words(replace(old, comments=(said(APP, recent),)))[-1] == stale
    assert words(replace(old, labels=(Label("x", APP, recent),)))[-1] == stale
    for changed in (
        replace(old, comments=(said(EVE, recent),)),
        replace(old, comments=(said(ADA, NOW - 39 * DAY, edited=recent),)),
        replace(old, labels=(Label("x", ADA, recent),)),
        replace(old, edited_at=recent),
        replace(old, title_edited_at=recent),
    ):
        assert words(changed) == ["40d old", "due in 20d (default)"]


LABELS = st.lists(st.sampled_from(["quality", "docs", "security", "bug", "chore", "hold"]), max_size=3)
AGES = st.integers(0, 100).map(lambda days: days * DAY)
ISSUES = st.lists(
    st.builds(lambda number, age, labels: issue(number, age, *labels), st.integers(1, 30), AGES, LABELS),
    max_size=8,
    unique_by=lambda one: one.number,
)


@given(ISSUES, st.randoms(use_true_random=False))
def test_the_order_is_total_and_does_not_depend_on_that_of_the_input(
    issues: list[Issue], dice: Random
) -> None:
    shuffled = list(issues)
    dice.shuffle(shuffled)
    found = queue(*issues)
    assert queue(*shuffled) == found
    ranks = [item.rank for item in found if item.eligible]
    assert ranks == list(range(1, len(ranks) + 1))
    assert sorted(item.number for item in found) == sorted(one.number for one in issues)


@given(ISSUES, AGES, AGES, LABELS)
def test_what_is_more_overdue_never_ranks_lower_other_things_equal(
    others: list[Issue], one_age: timedelta, other_age: timedelta, labels: list[str]
) -> None:
    def rank(age: timedelta) -> int | None:
        return next(item.rank for item in queue(issue(40, age, *labels), *others) if item.number == 40)

    younger, older = rank(min(one_age, other_age)), rank(max(one_age, other_age))
    assert (younger is None and older is None) or (older or 0) <= (younger or 0)
