"""An agent's screen cannot steer, flood or freeze the reader's terminal."""

from __future__ import annotations

import time

import pytest

from hive.dashboard.ansi import MOST_LINES, MOST_OF_A_LINE, Decoder, last_lines


def test_colours_survive_and_nothing_else_does() -> None:
    text = (
        "\x1b[31mred\x1b[0m \x1b[2J\x1b[10;5Hmoved \x1b]0;title\x07titled \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"
        " \x1bPq#0\x1b\\ \x1b(B\x07bell\x9b31m \x1b\u202e!"
    )
    assert last_lines(text) == ["\x1b[31mred\x1b[0m moved titled link  bell31m !"]


@pytest.mark.parametrize("ending", ["\x1b", "\x1b[", "\x1b[38;5", "\x1b]0;tit"])
def test_an_escape_that_was_cut_short_leaves_nothing(ending: str) -> None:
    assert last_lines(f"words{ending}") == ["words"]


def test_no_control_character_reaches_the_decoded_text() -> None:
    text = "".join(map(chr, range(0x20))) + "".join(map(chr, range(0x7F, 0xA0)))
    decoded = Decoder().decode(last_lines(f"a{text}b"))
    assert all(char.isprintable() for line in decoded for char in line.plain)


def test_blank_lines_at_the_end_are_left_out() -> None:
    assert last_lines("one\n\ntwo\n\n   \n") == ["one", "", "two"]


def test_colours_run_on_from_line_to_line() -> None:
    first, second, third = Decoder().decode(["\x1b[31mone", "two", "\x1b[0mthree"])
    assert [str(line.spans[0].style) for line in (first, second)] == ["color(1)", "color(1)"]
    assert (second.plain, third.plain) == ("two", "three")
    assert third.spans == []


def test_a_line_that_did_not_change_is_not_decoded_again() -> None:
    decoder = Decoder()
    before = decoder.decode(["one", "two"])
    after = decoder.decode(["one", "three"])
    assert after[0] is before[0]


def test_50_megabytes_and_a_line_of_40_kilobytes_take_no_time() -> None:
    text = "a line of a log\n" * 3_300_000 + "\x1b[32mx\x1b[0m" * 40_000 + "\nlast"
    started = time.thread_time()
    lines = last_lines(text)
    Decoder().decode(lines)
    assert time.thread_time() - started < 0.5
    assert lines[-1] == "last"
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_OF_A_LINE
