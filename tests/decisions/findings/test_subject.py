"""A finding is known by what it is about, not by its title (hive 6927, 6958)."""

from __future__ import annotations

import pytest

from hive.decisions.findings import clean_path, fingerprint
from tests.decisions.worlds import OTHER, REPO


def of(title: str, *, repo: str = REPO, issue: int | None = None, path: str = "", rule: str = "") -> str:
    return fingerprint(repo, issue=issue, path=path, rule=rule, about="", title=title)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Split a.py (1237 lines)", "Split a.py (1240 lines) — extract helpers"),
        ("Split `src/a.py`", "split src/a.py - it is too long"),
        ("The retry in net.py is unbounded", "retry in net.py is unbounded"),
        ("Flaky test: test_login", "Flaky test: test_login (3 of 20 runs)"),
    ],
)
def test_the_same_in_other_words_is_one_finding(one: str, other: str) -> None:
    assert of(one) == of(other)


def test_a_file_and_a_rule_are_enough_whatever_the_title_says() -> None:
    first = of("Too long", path="src/a.py", rule="module-size")
    assert of("Please split this module", path="./src//a.py", rule="Module-Size ") == first
    assert of("A title", repo=REPO.upper(), path="src/a.py", rule="module-size") == first


def test_another_file_rule_repository_or_issue_is_another_finding() -> None:
    told = {
        of("Too long", path="a.py", rule="size"),
        of("Too long", path="b.py", rule="size"),
        of("Too long", path="a.py", rule="style"),
        of("Too long", path="a.py", rule="size", repo=OTHER),
        of("Too long", path="a.py"),
        of("Too short", path="a.py"),
        of("Too long"),
        of("Too long", issue=7),
        of("Too long", issue=8),
        of("1234"),
        of("1235"),
    }
    assert len(told) == 11


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("a.py", "a.py"),
        ("/src/./a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("../a.py", ""),
        ("a/../../b", ""),
        (".", ""),
        ("a\nb", ""),
    ],
)
def test_a_path_is_from_the_root_and_never_beyond_it(given: str, clean: str) -> None:
    assert clean_path(given) == clean
