"""The control-mode stream, cut at any place, with panes that try to forge it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.shells.tmux.language import commands, quote
from hive.shells.tmux.replies import Notice, Reply, ReplyStream, StreamBroken
from hive.shells.tmux.sighting import marks_entry, read_marks

STREAM = (
    b"%begin 100 1 0\n%end 100 1 0\n"
    b"%sessions-changed\n"
    b"%begin 101 7 1\nfirst\n\n%end 9 9 1\nlast\n%end 101 7 1\n"
    b"%begin 102 8 1\n%end 102 8 1\n"
    b"%begin 103 9 1\ncan't find session: x\n%error 103 9 1\n"
    b"%window-renamed @0 died\n"
)
ITEMS = [
    Notice(b"%sessions-changed"),
    Reply(True, b"first\n\n%end 9 9 1\nlast", 101),
    Reply(True, b"", 102),
    Reply(False, b"can't find session: x", 103),
    Notice(b"%window-renamed @0 died"),
]


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_the_stream_reads_the_same_wherever_it_is_cut(cuts: list[int]) -> None:
    stream = ReplyStream()
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in pairwise(edges)]
    assert [item for piece in pieces for item in stream.feed(piece)] == ITEMS


@pytest.mark.parametrize("after", [b"text\n", b"%end 101 7 1\n", b"\n"])
def test_text_after_a_forged_end_breaks_the_stream(after: bytes) -> None:
    forged = b"%begin 101 7 1\nscreen\n%end 101 7 1\n" + after
    with pytest.raises(StreamBroken):
        list(ReplyStream().feed(forged))


def test_words_are_written_so_that_tmux_reads_exactly_them() -> None:
    assert quote("plain/word-1.x") == "plain/word-1.x"
    assert quote("") == '""'
    assert quote("=name:") == '"=name:"'
    assert quote('a "b" $c \\ ~\n\té;') == '"a \\"b\\" \\$c \\\\ \\176\\012\\011é;"'
    with pytest.raises(ValueError):
        quote("a\0b")
    assert commands(("a", "b c"), ("d",)).line == b'a "b c" ; d'


@given(st.lists(st.dictionaries(st.text(min_size=1), st.text(), max_size=4), max_size=6))
def test_marks_appended_read_as_marks_set_one_after_the_other(steps: list[dict[str, str]]) -> None:
    marks = [{name: _plain(value) for name, value in step.items()} for step in steps]
    want: dict[str, str] = {}
    for step in marks:
        want.update({_plain(name): value for name, value in step.items()})
    text = "".join(marks_entry({_plain(name): value for name, value in step.items()}) for step in marks)
    assert text.isascii()
    assert "," not in text
    assert read_marks(text) == {name: value for name, value in want.items() if value}


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
