from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.triage import Lane, TriagePolicy, triage
from hive.facts.forge import Issue, Label
from tests.decisions.triage.good import EVE, ISSUE, T0, ruled

LANED = TriagePolicy(lanes=(Lane("bug", ("bug",), ("crash",)), Lane("docs", ("docs",))))
PLAIN = replace(ISSUE, title="", body="")


def order(*issues: Issue) -> list[tuple[int, int | None, str | None]]:
    return [(item.number, item.rank, item.lane) for item in triage(issues, LANED)]


def issue(number: int, *labels: str, minutes: int | None = 0, trusted: bool = True) -> Issue:
    return replace(
        PLAIN,
        number=number,
        labels=tuple(Label(name) for name in labels),
        created_at=None if minutes is None else T0 + timedelta(minutes=minutes),
        author=ISSUE.author if trusted else EVE,
    )


def test_eligible_issues_come_by_lane_then_age_then_number_and_the_others_by_number() -> None:
    given_issues = (
        issue(9, "docs", minutes=1),
        issue(8, trusted=False),
        issue(7, minutes=-60),
        issue(6, "bug", minutes=5),
        issue(5, "bug", minutes=5),
        issue(4, "bug", minutes=9),
        issue(2, "bug", trusted=False),
        issue(1, minutes=None),
    )
    assert order(*given_issues) == [
        (5, 1, "bug"),
        (6, 2, "bug"),
        (4, 3, "bug"),
        (9, 4, "docs"),
        (7, 5, None),
        (1, 6, None),
        (2, None, "bug"),
        (8, None, None),
    ]


@given(st.permutations([issue(n, *labels) for n, labels in ((1, ["docs"]), (2, ["bug"]), (3, []), (4, []))]))
def test_the_order_of_the_input_means_nothing(issues: list[Issue]) -> None:
    assert order(*issues) == [(2, 1, "bug"), (1, 2, "docs"), (3, 3, None), (4, 4, None)]


def test_no_issues_are_no_work() -> None:
    assert triage((), LANED) == ()


@pytest.mark.parametrize(
    ("changed", "lane"),
    [
        (replace(PLAIN, labels=(Label("BUG"),)), "bug"),
        (replace(PLAIN, labels=(Label("bugs"),)), None),
        (replace(PLAIN, labels=(Label("docs"), Label("bug"))), "bug"),
        (replace(PLAIN, title="A Crash on start", labels=(Label("docs"),)), "bug"),
        (replace(PLAIN, title="crash: again"), "bug"),
        (replace(PLAIN, body="then a CRASH, and"), "bug"),
        (replace(PLAIN, title="The crashpad is dirty"), None),
        (replace(PLAIN, body="<!-- describe the crash -->"), None),
        (PLAIN, None),
    ],
)
def test_the_first_lane_that_matches_by_label_or_whole_word_is_the_lane(
    changed: Issue, lane: str | None
) -> None:
    assert ruled(changed, LANED).lane == lane


def test_words_may_hold_what_regular_expressions_reserve() -> None:
    policy = TriagePolicy(lanes=(Lane("cpp", words=("c++", " ")),))
    assert ruled(replace(PLAIN, title="Port to C++ now"), policy).lane == "cpp"
    assert ruled(replace(PLAIN, title="Port to C now"), policy).lane is None
