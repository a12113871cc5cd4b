"""Bytes from a terminal become keys, text and pastes, wherever the terminal cuts them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hive_backends.scripted_agent.composer import Composer
from hive_backends.scripted_agent.keys import Input, Key, KeyReader, Paste, Text

NAMED = {"enter": b"\r", "ctrl-c": b"\x03", "up": b"\x1b[A", "down": b"\x1bOB", "backspace": b"\x7f"}


def told(inputs: list[Input]) -> list[tuple[str, bytes]]:
    """Inputs as pairs, with runs of text joined: where text was cut says nothing."""
    joined: list[tuple[str, bytes]] = []
    for item in inputs:
        if isinstance(item, Key):
            joined.append(("key", item.name.encode()))
        elif isinstance(item, Paste):
            joined.append(("paste", item.data))
        elif joined and joined[-1][0] == "text":
            joined[-1] = ("text", joined[-1][1] + item.data)
        else:
            joined.append(("text", item.data))
    return joined


def fed(data: bytes, cuts: list[int]) -> list[tuple[str, bytes]]:
    reader, inputs = KeyReader(), []
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        inputs += reader.feed(data[start:end])
    return told(inputs)


texts = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=12).map(
    lambda text: ("text", text.encode())
)
pastes = (
    st.binary(max_size=30)
    .filter(lambda data: b"\x1b[201~" not in data + b"\x1b[201")
    .map(lambda data: ("paste", data))
)
keys = st.sampled_from(sorted(NAMED)).map(lambda name: ("key", name.encode()))


@given(st.lists(texts | pastes | keys, max_size=6), st.lists(st.integers(min_value=0), max_size=8))
def test_what_arrives_does_not_depend_on_where_the_bytes_are_cut(
    sent: list[tuple[str, bytes]], cuts: list[int]
) -> None:
    data = b""
    expected: list[tuple[str, bytes]] = []
    for kind, value in sent:
        match kind:
            case "text":
                data += value
            case "paste":
                data += b"\x1b[200~" + value + b"\x1b[201~"
            case _:
                data += NAMED[value.decode()]
        if kind == "text" and expected and expected[-1][0] == "text":
            expected[-1] = ("text", expected[-1][1] + value)
        else:
            expected.append((kind, value))
    assert fed(data, cuts) == expected


@given(st.binary(max_size=60))
def test_any_bytes_at_all_are_survived(data: bytes) -> None:
    reader = KeyReader()
    for byte in data:
        reader.feed(bytes([byte]))
    reader.flush()


def test_a_lone_escape_is_a_key_once_nothing_follows() -> None:
    reader = KeyReader()
    assert reader.feed(b"\x1b") == []
    assert reader.pending_escape
    assert told(reader.flush()) == [("key", b"escape")]
    assert not reader.pending_escape


def test_an_escape_inside_a_paste_is_no_key() -> None:
    reader = KeyReader()
    reader.feed(b"\x1b[200~a\x1b")
    assert not reader.pending_escape
    assert told(reader.feed(b"b\x1b[201~")) == [("paste", b"a\x1bb")]


def test_an_unknown_sequence_is_swallowed_whole() -> None:
    assert told(KeyReader().feed(b"a\x1b[1;5Pb")) == [("text", b"ab")]


def test_the_composer_gives_back_exactly_what_went_in() -> None:
    composer = Composer()
    composer.type("né".encode())
    composer.paste(b"\xff\x00two\r\nlines;")
    composer.type(b"!")
    assert composer.take() == b"n\xc3\xa9\xff\x00two\r\nlines;!"
    assert composer.is_empty


def test_a_long_paste_is_shown_as_a_chip_and_a_short_one_as_it_is() -> None:
    composer = Composer()
    composer.type(b"see ")
    composer.paste(b"1\n2\n3\n4\n")
    composer.paste(b" and b")
    assert composer.shown() == "see [pasted 4 lines] and b"


def test_backspace_takes_back_one_character_or_one_paste() -> None:
    composer = Composer()
    composer.paste(b"1\n2\n3\n4\n")
    composer.type("aé".encode())
    composer.erase()
    assert composer.shown() == "[pasted 4 lines]a"
    composer.erase()
    composer.erase()
    assert composer.is_empty
    composer.erase()
    assert composer.is_empty


def test_text_that_is_cut_inside_a_character_waits_for_the_rest() -> None:
    reader = KeyReader()
    assert told(reader.feed("a🎉".encode()[:3])) == [("text", b"a")]
    found = reader.feed("🎉".encode()[2:])
    assert [type(item) for item in found] == [Text]
    assert told(found) == [("text", "🎉".encode())]
