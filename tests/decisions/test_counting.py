"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from hive.decisions.counting import counted, often


@pytest.mark.parametrize(
    ("count", "noun", "plural", "expected"),
    [
        (0, "commit", "", "0 commits"),
        (1, "commit", "", "1 commit"),
        (2, "commit", "", "2 commits"),
        (1, "stash", "stashes", "1 stash"),
        (2, "stash", "stashes", "2 stashes"),
    ],
)
def test_one_of_a_kind_is_singular_and_none_or_several_are_plural(
    count: int, noun: str, plural: str, expected: str
) -> None:
    assert counted(count, noun, plural) == expected


def test_what_happened_once_is_not_told_as_times() -> None:
    assert [often(count) for count in (1, 2)] == ["once", "2 times"]
