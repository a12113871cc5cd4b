"""Foreign text made fit for one line of a terminal.

Titles, details and messages come from issues, agents and services. Control characters would move the
reader's cursor or colour the rest of the screen, and bidirectional overrides would reorder what is shown.
"""

from __future__ import annotations

import re
import unicodedata

_PLAIN = re.compile(r"[ -~]*\Z")
_SPACES = re.compile(r"\s+")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def one_line(text: str, limit: int = 400) -> str:
    """`text` on one line of at most `limit` characters, without characters that cannot be seen."""
    cut = text[: limit * 4]
    if _PLAIN.match(cut):
        clean = cut if "  " not in cut else _SPACES.sub(" ", cut)
    else:
        clean = _SPACES.sub(" ", "".join(_visible(char) for char in cut))
    clean = clean.strip()
    if len(clean) > limit or len(text) > len(cut):
        return clean[: limit - 1].rstrip() + "…"
    return clean


def printable(text: str) -> str:
    """Foreign text for a terminal: it moves no cursor, colours nothing and begins no line of its own."""
    return "".join(each if each.isprintable() else "?" for each in text)


def _visible(char: str) -> str:
    if char.isspace():
        return " "
    return "" if unicodedata.category(char) in _INVISIBLE else char
