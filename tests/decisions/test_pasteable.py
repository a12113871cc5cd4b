"""A text that was cleaned can never steer a terminal, and says what it lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.pasteable import Pasteable, pasteable, submittable


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "a\tb\n\nc\n",
        "日本語 👩‍👩‍👧‍👦 é \u200b\u2028\ufeff",
        "$(x) `y` \\; ~ #{pid} %end",
        "\u00a0\u00ad",
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert pasteable(text) == Pasteable(text)


def test_line_ends_become_line_feeds_and_are_not_counted() -> None:
    assert pasteable("a\r\nb\rc\n\rd\r\r\ne") == Pasteable("a\nb\nc\n\nd\n\ne")


def test_what_was_taken_out_is_told_by_kind_and_number() -> None:
    text = "a\x1b[201~b\x9b200~c\x1b[31md\x03\x00\x7f\x85e\ud83df"
    assert pasteable(text) == Pasteable(
        "abc[31mde\ufffdf",
        (
            ("paste marker", 2),
            ("escape", 1),
            ("control character", 2),
            ("C1 control or DEL", 2),
            ("lone surrogate", 1),
        ),
    )


@pytest.mark.parametrize(
    "text", ["\x1b\x1b[201~[201~", "\x1b[20\x1b[201~1~", "\x1b\0[201~", "\x9b\x9b201~201~"]
)
def test_a_marker_cannot_be_put_together_from_what_is_left(text: str) -> None:
    cleaned = pasteable(text).text
    assert "\x1b" not in cleaned
    assert "\x9b" not in cleaned


@given(st.text(st.one_of(st.characters(), st.sampled_from("\x1b[201~\x9b\r\n\t\x7f\0"))))
def test_nothing_that_steers_is_left_and_cleaning_twice_changes_nothing(text: str) -> None:
    cleaned = pasteable(text)
    assert not [
        char for char in cleaned.text if (char < " " and char not in "\n\t") or "\x7f" <= char <= "\x9f"
    ]
    cleaned.text.encode()
    assert pasteable(cleaned.text) == Pasteable(cleaned.text)


@pytest.mark.parametrize(
    ("text", "submitted"),
    [("a\\", "a\\ "), ("a\\\\", "a\\\\ "), ("a\\b", "a\\b"), ("a\\\n", "a\\\n"), ("", "")],
)
def test_a_backslash_at_the_end_is_kept_from_the_enter_behind_it(text: str, submitted: str) -> None:
    assert submittable(text) == submitted
