"""What stands on the screen, as lines: pure, for a width in columns.

The chrome always stands at the bottom, in this order: an empty line, a status (at column 0, with a
glyph, continued by two blanks), a frame as wide as the screen, a footer. What the agent says stands
above and is always indented, so that no word of it can be taken for chrome.
"""

from __future__ import annotations

import re

DIM, BOLD, RED, YELLOW, CYAN, PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[0m"

SPINNER = "✻✽✶✳✢✳✶✽"
COMPOSER_ROWS = 6
CURSOR = "▏"
"""Drawn after the draft, so that blanks typed into an empty composer are seen."""

# Control characters, and the invisible ones that reorder or hide text on a terminal.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e01ef]"
)


def printable(text: str) -> str:
    """`text` without anything that could steer the terminal; newlines stay."""
    return _UNPRINTABLE.sub("", text.replace("\t", "    "))


def width(text: str) -> int:
    """Columns that `text` takes, in a terminal that draws wide characters in two."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if character < "\u0300":
        return 1
    from unicodedata import combining, east_asian_width

    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """`text` cut to `columns`, ending in an ellipsis when it was longer."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for character in text:
        used += _character_width(character)
        if used > columns - 1:
            break
        kept += character
    return kept + "…"


def wrap(text: str, columns: int) -> list[str]:
    """`text` in rows of at most `columns`, cut at a blank where there is one; never empty."""
    rows: list[str] = []
    for line in text.split("\n"):
        row = ""
        for word in re.split(r"(?<= )", line):
            piece = word
            if row and width(row + piece.rstrip()) > columns:
                rows.append(row.rstrip())
                row = ""
            while width(piece.rstrip()) > columns:
                head = _head(piece, columns)
                rows.append(head)
                piece = piece[len(head) :]
            row += piece
        rows.append(row.rstrip())
    return rows


def _head(text: str, columns: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += _character_width(character)
        if used > columns:
            return text[: max(index, 1)]
    return text


def spoken(text: str, glyph: str = "●") -> list[str]:
    """What the agent says: a glyph before its first line, two blanks before the others."""
    lines = printable(text).split("\n")
    return [f"{glyph} {lines[0]}", *(f"  {line}" for line in lines[1:])]


def status_rows(text: str, columns: int, colour: str) -> list[str]:
    """A status above the frame, wrapped; `text` begins with its glyph."""
    first, *rest = wrap(printable(text).replace("\n", " "), columns - 3)
    return [f"{colour}{first}{PLAIN}", *(f"  {colour}{row}{PLAIN}" for row in rest)]


def composer(draft: str, columns: int) -> list[str]:
    """The frame with the draft; only the last rows of a long one."""
    rows = wrap(printable(draft) + CURSOR, columns - 7)[-COMPOSER_ROWS:]
    marked = [("> " if index == 0 else "  ") + row for index, row in enumerate(rows)]
    return frame(marked, columns)


def choice(question: str, options: tuple[str, ...], selected: int, columns: int) -> list[str]:
    """A box that waits for a choice."""
    rows = [*wrap(printable(question), columns - 5), ""]
    for index, option in enumerate(options):
        pointer = "❯" if index == selected else " "
        rows.append(clip(f"{pointer} {index + 1}. {printable(option)}", columns - 5))
    return frame(rows, columns)


def frame(rows: list[str], columns: int) -> list[str]:
    """`rows` in a frame one column narrower than the screen, so that no row ever wraps."""
    inner = columns - 5
    middle = [f"{DIM}│{PLAIN} {row}{' ' * (inner - width(row))} {DIM}│{PLAIN}" for row in rows]
    edge = "─" * (inner + 2)
    return [f"{DIM}╭{edge}╮{PLAIN}", *middle, f"{DIM}╰{edge}╯{PLAIN}"]


def footer(text: str, columns: int) -> str:
    return f"{DIM}{clip('  ' + text, columns - 1)}{PLAIN}"
