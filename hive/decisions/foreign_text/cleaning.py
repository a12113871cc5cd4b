"""Foreign text made fit for an agent: only what people saw when they approved it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hive.decisions.foreign_text.characters import (
    BIDI,
    CONDITIONAL,
    CONTROL,
    ESCAPE,
    INVISIBLE,
    belongs,
)
from hive.decisions.foreign_text.definitions import without_definitions, without_pictures
from hive.decisions.foreign_text.markup import without_hidden

_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONDITIONAL = re.compile("[" + "".join(sorted(CONDITIONAL)) + "]")

_ROUGHLY = 4
"""How many times its bound of a line is looked at: blanks and hidden characters shrink it."""

HTML_COMMENT = "html-comment"
ESCAPE_SEQUENCE = "escape-sequence"
CONTROL_CHARACTER = "control-character"
BIDI_CONTROL = "bidirectional-control"
INVISIBLE_CHARACTER = "invisible-character"
LINK_DEFINITION = "link-definition"
PICTURE = "picture"
_ROUNDS = 4
"""What is taken out can change what stands around it; more rounds than this no honest text needs."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Text without what people do not see, and how many of which kind were taken out."""

    text: str
    stripped: Mapping[str, int] = field(default_factory=dict)


def clean(text: str, *, cut: bool = False, is_markdown: bool = True) -> Cleaned:
    """Take out escape sequences, controls, invisible characters and hidden markup; lines end in LF.

    Joiners and selectors stay inside emoji sequences, joiners between letters of scripts that join.
    `cut` says that `text` is only the beginning of a longer one, `is_markdown` that it is shown as such.
    """
    counts: Counter[str] = Counter()
    # Half a surrogate pair is no character, and no encoding carries it.
    text = _SURROGATE.sub("\ufffd", _LINE_ENDS.sub("\n", text))
    for what, pattern in (
        (ESCAPE_SEQUENCE, ESCAPE),
        (CONTROL_CHARACTER, CONTROL),
        (BIDI_CONTROL, BIDI),
        (INVISIBLE_CHARACTER, INVISIBLE),
    ):
        text, count = pattern.subn("", text)
        counts[what] += count
    text, count = _without_stray_joiners(text)
    counts[INVISIBLE_CHARACTER] += count
    text, counts[HTML_COMMENT] = without_hidden(text, cut=cut)
    if is_markdown:
        text = _without_unseen_markdown(text, counts, cut)
    return Cleaned(text, {what: counts[what] for what in sorted(counts) if counts[what]})


def _without_unseen_markdown(text: str, counts: Counter[str], cut: bool) -> str:
    for _ in range(_ROUNDS):
        before = text
        for what, without in ((LINK_DEFINITION, without_definitions), (PICTURE, without_pictures)):
            text, count = without(text)
            counts[what] += count
        if text == before:
            break
        text, count = without_hidden(text, cut=cut)
        counts[HTML_COMMENT] += count
    return text


def one_line(text: str, limit: int) -> Cleaned:
    """The same on one line of at most `limit` characters, for titles and names; a cut one ends in ``…``."""
    beginning = text[: limit * _ROUGHLY]
    cleaned = clean(beginning, cut=len(beginning) < len(text), is_markdown=False)
    line = " ".join(cleaned.text.split())
    if len(line) > limit or len(beginning) < len(text):
        line = shortened(line, limit - 1).rstrip() + "…"
    return Cleaned(line, cleaned.stripped)


def shortened(text: str, limit: int) -> str:
    """The first `limit` characters, fewer where a joiner or selector would be left without its right."""
    text = text[:limit]
    while text and text[-1] in CONDITIONAL:
        text = text[:-1]
    return text


def _without_stray_joiners(text: str) -> tuple[str, int]:
    if _CONDITIONAL.search(text) is None:
        return text, 0
    kept: list[str] = ["", ""]
    stray = 0
    for index, character in enumerate(text):
        if character in CONDITIONAL and not belongs(
            character, kept[-2], kept[-1], text[index + 1 : index + 2]
        ):
            stray += 1
        else:
            kept.append(character)
    return "".join(kept), stray
