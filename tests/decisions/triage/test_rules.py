from __future__ import annotations

from dataclasses import replace

import pytest

from hive.decisions.triage import Kind, Lane, Rule, TriagePolicy, triage
from hive.decisions.triage.rules import paths_spec
from hive.facts.forge import Issue, Label
from tests.decisions.triage.good import ISSUE, ruled

POLICY = TriagePolicy(
    lanes=(Lane("quality", words=("crash",)),),
    kinds=(Kind("security", ("security",), paths=("auth/", "*.pem")), Kind("bug", words=("crash",))),
    sizes=(Rule("small", ("good first issue",), ("typo",)), Rule("large", paths=("/hive/**",))),
)
PLAIN = replace(ISSUE, title="", body="")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (replace(PLAIN, labels=(Label("Security"),)), ("kind security by label Security",)),
        (replace(PLAIN, title="A crash"), ("lane quality by word crash", "kind bug by word crash")),
        (replace(PLAIN, body="see `src/auth/login.py`."), ("kind security by path src/auth/login.py",)),
        (replace(PLAIN, body="in ./Keys/A.PEM, too"), ("kind security by path keys/a.pem",)),
        (replace(PLAIN, body="(hive/app/run.py:12)"), ("size large by path hive/app/run.py",)),
        (replace(PLAIN, body="https://x.example/auth/login"), ()),
        (replace(PLAIN, body="auth is slow, authors/x say"), ()),
        (replace(PLAIN, body="<!-- auth/x.py -->"), ()),
        (PLAIN, ()),
    ],
)
def test_an_item_says_by_what_it_got_its_lane_kind_and_size(changed: Issue, why: tuple[str, ...]) -> None:
    assert ruled(changed, POLICY).why == why


def test_within_a_lane_kinds_come_in_their_order_and_within_a_kind_sizes() -> None:
    def issue(number: int, *labels: str, title: str = "") -> Issue:
        return replace(PLAIN, number=number, title=title, labels=tuple(Label(name) for name in labels))

    given = (
        issue(1),
        issue(2, "good first issue"),
        issue(3, "security"),
        issue(4, "security", "good first issue"),
        issue(5, title="crash"),
    )
    items = triage(given, POLICY)
    assert [(item.number, item.kind, item.size) for item in items] == [
        (5, "bug", None),
        (4, "security", "small"),
        (3, "security", None),
        (2, None, "small"),
        (1, None, None),
    ]


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no pattern of \.gitignore|[Pp]attern"):
        paths_spec(("!",))
