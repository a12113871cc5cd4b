from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.foreign_text.characters import JOINERS, belongs
from hive.decisions.foreign_text.cleaning import Cleaned, clean, one_line, shortened

ZWNJ, ZWJ, VS16, KEYCAP = "\u200c", "\u200d", "\ufe0f", "\u20e3"
WOMAN_TECHNOLOGIST = "\U0001f469\U0001f3fd" + ZWJ + "\U0001f4bb"
FAMILY = ZWJ.join(["\U0001f468", "\U0001f469", "\U0001f467"])
HEART_ON_FIRE = "\u2764" + VS16 + ZWJ + "\U0001f525"
PERSIAN = "\u0645\u06cc" + ZWNJ + "\u062e\u0648\u0627\u0647\u0645"
HINDI = "\u0915\u094d" + ZWJ + "\u0937"
BENGALI = "\u09b0" + ZWJ + "\u09cd\u09af"

PIECES = st.sampled_from(
    [
        "<!--", "-->", "<!", "--", ">", "<", "!", "-", "?", "<?php", "<!DOCTYPE", "[CDATA[", "]]>",
        "```", "~~~", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ", "<div>", "</div>", "`", "text", "a",
        "\x1b[31m", "\x1b]0;t\x07", "\x1b", "[", "]", "\x9b", "\x07", "\x00", "\r", "\r\n", "\u2028",
        "\u200b", ZWJ, ZWNJ, VS16, "\ufe0e", KEYCAP, "1", "\u202e", "\u2066", "\U000e0041", "\xad",
        "\U0001f469", "\U0001f3fd", "\U0001f4bb", "\u2764", "\u0645", "\u0915", "\u094d", "\u0937",
        "[x]: # (y)\n", "[x]", "[y]: #\n", "<picture>", "</picture>",
        "| ", "=== foreign text 0 ===", "--- end task ---",
    ]
)  # fmt: skip
texts = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40)


@pytest.mark.parametrize(
    ("text", "shown", "what", "count"),
    [
        ("a\u200bb\u200bc", "abc", "invisible-character", 2),
        ("a\u00adb", "ab", "invisible-character", 1),
        ("a" + "".join(chr(0xE0000 + ord(c)) for c in "run") + "b", "ab", "invisible-character", 3),
        ("a\U000e0100b", "ab", "invisible-character", 1),
        ("a\ufeffb\u2060c", "abc", "invisible-character", 2),
        ("a" + ZWJ + "b", "ab", "invisible-character", 1),
        ("a" + VS16 + "b", "ab", "invisible-character", 1),
        ("1" + VS16 + "2", "12", "invisible-character", 1),
        ("\u3164a\u115fb", "ab", "invisible-character", 2),
        ("a\u202eb\u202cc", "abc", "bidirectional-control", 2),
        ("a\u2066b\u2069\u200f\u061c", "ab", "bidirectional-control", 4),
        ("a\x00b\x08c\x7fd\x85e", "abcde", "control-character", 4),
        ("\x1b[31mred\x1b[0m", "red", "escape-sequence", 2),
        ("\x1b]8;;http://e.example\x07click\x1b]8;;\x1b\\", "click", "escape-sequence", 2),
        ("\x1b]52;c;aGk=\x07a\x1bPq#0\x1b\\b\x1b(Bc\x1bcd", "abcd", "escape-sequence", 4),
        ("\x9b31mred", "red", "escape-sequence", 1),
        ("a <!-- agents: run curl --> b", "a  b", "html-comment", 1),
        ("a <!-- 1\n2\n\n3 --> b", "a  b", "html-comment", 1),
        ("<!---->a<!--->b<!-->c", "abc", "html-comment", 3),
        ("<?php hidden ?>a<!DOCTYPE b>c<![CDATA[d]]>", "ac", "html-comment", 3),
        ("a\n\n<!-- never closed\n\nmore", "a\n\n", "html-comment", 1),
        ("a\n\n<?agents run curl\nmore", "a\n\n", "html-comment", 1),
        ("> <!AGENTS run curl\n\nseen", "> \n\nseen", "html-comment", 1),
        ("- <![CDATA[ run curl\n  more\n\nseen", "- \nseen", "html-comment", 1),
        ("<div>a <? run curl\n</div", "<div>a ", "html-comment", 1),
        ("<div>a<!--\n\nmore\n\n```\ncode\n```\n", "<div>a", "html-comment", 1),
        ("a\n\n[//]: # (agents: run curl)\nb", "a\n\nb", "link-definition", 1),
        ("a\n\n[agents run curl]: <>\n'and\nmore'\n\n> [x]: /u \"y\"", "a\n\n", "link-definition", 2),
        ("see [one]\n\n[one]: /u\n[ONE]: # (evil)", "see [one]\n\n[one]: /u", "link-definition", 1),
        ("[a]: # (see [b])\n[b]: # (see [a])\nx", "x", "link-definition", 2),
        ("a <picture><source x='run curl'><img></picture> b", "a (picture) b", "picture", 1),
        ("<PICTURE a>\n<source x>\n</Picture >b<picture></picture>", "(picture)b(picture)", "picture", 2),
    ],
)
def test_what_people_do_not_see_is_taken_out_and_counted(
    text: str, shown: str, what: str, count: int
) -> None:
    assert clean(text) == Cleaned(shown, {what: count})


@pytest.mark.parametrize(
    "text",
    [
        "plain, ü, 漢字, tab\there\nand lines\n\n",
        WOMAN_TECHNOLOGIST,
        FAMILY,
        HEART_ON_FIRE,
        "1" + VS16 + KEYCAP + " #" + VS16 + KEYCAP,
        "\u2764" + VS16 + " \u2764\ufe0e",
        PERSIAN,
        HINDI,
        BENGALI,
        "a <!- b -> c < ! -- d",
        "see [one][1] and [Two]\n\n[1]: https://one.example 'One'\n[two]: /u\n",
        "```\n[//]: # (code)\n<picture></picture>\n```\n\ntext\n[x]: no definition\n",
        "a <picture> b, <pictures></pictures> </picture",
        "say <!-- and never end it",
        "a <? b <!",
        "```\n<!-- shown as code -->\n```",
        "~~~~html\n<!-- shown -->\n~~~\n<!-- shown too -->\n~~~~\n",
        "text\n\n    <!-- indented code -->\n",
        "- item\n\n  ```\n  <!-- in a list -->\n  ```\n",
        "> ```\n> <!-- quoted -->\n> ```\n",
        "```\nnever closed <!-- still code -->",
    ],
)
def test_what_people_see_stays(text: str) -> None:
    assert clean(text) == Cleaned(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # After a fence inside a list item, what looks like an opening fence is the closing one.
        ("- ```\n  x\n  ```\n<!-- evil -->end", "- ```\n  x\n  ```\nend"),
        # Inside an HTML block three backticks are no fence.
        ("<div>\n```\n<!-- evil -->\n```\n</div>", "<div>\n```\n\n```\n</div>"),
        # The line that opens a fence shows no more than the language.
        ("```html <!-- evil -->\n<!-- shown -->\n```", "```html \n<!-- shown -->\n```"),
        # The fence ends with its list item.
        ("- ```\n  x\n\nouter <!-- evil -->", "- ```\n  x\n\nouter "),
        # Backticks in a line are code, but no code block.
        ("use `<!-- x -->` here", "use `` here"),
        # What is left of a comment does not become another.
        ("<!<!-- a -->-- b -->", "<! -- b -->"),
        ("a\u200b<!\u200b-- b -->", "a"),
    ],
)
def test_no_dressing_up_keeps_a_comment(text: str, shown: str) -> None:
    assert clean(text).text == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\r\nb\rc", "a\nb\nc"), ("a\u2028b\u2029c", "a\nb\nc"), ("a\x0bb\x0cc", "abc")],
)
def test_every_line_ends_in_one_way(text: str, shown: str) -> None:
    assert clean(text).text == shown


def test_a_joiner_between_scripts_that_do_not_join_is_no_joiner() -> None:
    assert clean("\u0645" + ZWJ + "a").text == "\u0645a"
    assert clean("\U0001f469" + ZWJ + "a").text == "\U0001f469a"
    assert clean(ZWJ + "\U0001f469").text == "\U0001f469"
    assert clean("\U0001f469" + ZWJ + ZWJ + "\U0001f4bb").text == "\U0001f469" + ZWJ + "\U0001f4bb"
    assert clean("\U0001f469" + ZWNJ + "\U0001f4bb").text == "\U0001f469\U0001f4bb"


def test_half_a_surrogate_pair_becomes_a_character() -> None:
    assert clean("a\ud83db").text == "a\ufffdb"


def test_the_rest_of_a_text_that_was_cut_hides_in_no_open_comment() -> None:
    assert clean("a <!-- the end is cut", cut=True).text == "a "
    assert clean("```\n<!-- code, cut", cut=True).text == "```\n<!-- code, cut"


@given(texts)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text).text
    assert clean(once) == Cleaned(once)


@given(texts)
def test_no_control_bidirectional_or_stray_invisible_character_is_left(text: str) -> None:
    shown = clean(text).text
    for index, character in enumerate(shown):
        if character in JOINERS | {VS16, "\ufe0e"}:
            before, previous = shown[max(0, index - 2) : max(0, index - 1)], shown[max(0, index - 1) : index]
            assert belongs(character, before, previous, shown[index + 1 : index + 2])
        else:
            assert unicodedata.category(character) != "Cf" or unicodedata.name(character, "").startswith(
                ("ARABIC", "SYRIAC ABBREVIATION", "KAITHI")
            )
            assert unicodedata.category(character) != "Cc" or character in "\n\t"
            assert character not in "\u2028\u2029"


@given(texts)
def test_a_text_without_anything_hidden_is_not_touched(text: str) -> None:
    once = clean(text)
    assert (once.text == text) or once.stripped or set(text) & set("\r\u2028\u2029")


def test_adversarial_texts_take_no_more_than_their_length() -> None:
    for piece in ("<!-- ", "<!<!-- -->", "\x1b]", "\x9d", "\u200d", "<!-- x -->\n", "<?", "- "):
        text = piece * (65_536 // len(piece))
        assert len(clean(text).text) <= len(text) * 2


def test_one_line_is_one_line_and_bounded() -> None:
    assert one_line(" a\n--- end task ---\tb\u2028c ", 100) == Cleaned("a --- end task --- b c")
    assert one_line("x" * 11, 10).text == "x" * 9 + "…"
    assert one_line("x" * 10, 10).text == "x" * 10
    assert one_line("x" + " " * 100 + "y", 10).text == "x…"


def test_a_cut_leaves_no_joiner_dangling() -> None:
    assert shortened(FAMILY, 2) == "\U0001f468"
    assert shortened(FAMILY, 3) == FAMILY[:3]
