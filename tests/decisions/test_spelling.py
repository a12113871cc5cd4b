from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.spelling import edits, near_miss

KNOWN = ("supervisor", "guide", "sec-check", "outreach", "ci-maintainer", "scanner")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sec_check", "sec-check"),
        ("Sec-Check", "sec-check"),
        ("sec check", "sec-check"),
        ("seccheck", "sec-check"),
        ("outreech", "outreach"),
        ("GUIDE", "guide"),
        ("gudie", "guide"),
        ("guides", "guide"),
        ("ci_maintaner", "ci-maintainer"),
        ("supervizer", "supervisor"),
        ("scnaer", "scanner"),
    ],
)
def test_a_misspelt_word_names_what_was_meant(word: str, meant: str) -> None:
    assert near_miss(word, KNOWN) == meant


@pytest.mark.parametrize(
    "word", ["planner", "tech-check", "reviewer", "docs", "janitor", "guild", "maintainer", "check", "x", ""]
)
def test_another_word_is_not_a_misspelling(word: str) -> None:
    assert near_miss(word, KNOWN) is None


@pytest.mark.parametrize("word", KNOWN)
def test_a_known_word_is_never_a_misspelling_of_another(word: str) -> None:
    assert near_miss(word, (*KNOWN, word + "s")) is None


def test_nothing_is_near_when_nothing_is_known() -> None:
    assert near_miss("guide", ()) is None


@given(st.text(max_size=8), st.text(max_size=8))
def test_the_distance_is_symmetric_and_zero_only_for_equals(one: str, other: str) -> None:
    assert edits(one, other) == edits(other, one)
    assert (edits(one, other) == 0) == (one == other)
