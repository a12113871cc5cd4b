"""A captured pane as rows of text, each with the colours that it was drawn in.

Colour tells a program's own words from an agent's: programs draw their errors and placeholders in colours
that an agent's text never has. A capture without escapes has no colours, and text alone decides.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from hive.facts.screens import Screen, ScreenState
from hive_backends.captures import is_dead_pane, is_shell_prompt

_PIECE = re.compile(
    r"\x1b\[(?P<colour>[0-9;:]*)m"
    r"|\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
    r"|(?P<text>[^\x1b]+)|\x1b"
)
_KILLED = re.compile(r"^[❯>*!› ]*(?:Killed|Terminated|Aborted|Segmentation fault|Hangup|\[\d+\]\+ )\b")


@dataclass(frozen=True, slots=True)
class Style:
    """How a character is drawn.

    Attributes:
        colour: Of the letter, as its escape has it (``31``, ``38;5;211``); empty for the terminal's own.
        faint: Drawn dimmed: a placeholder, a suggestion.
    """

    colour: str = ""
    faint: bool = False

    @property
    def is_grey(self) -> bool:
        """Drawn as something of less weight: dimmed, or in a grey between black and white."""
        return self.faint or self._tint == 0

    @property
    def is_tinted(self) -> bool:
        """Drawn in a colour that is no grey, as programs draw their errors and warnings; but not bluish,
        which is how they draw code and choices."""
        return self._tint > 0

    @property
    def _tint(self) -> int:
        """0 for grey, 1 for a colour from yellow to red and violet, -1 for what says nothing."""
        kind, *numbers = self.colour.split(";")
        if kind == "38" and numbers[0] == "2":
            red, green, blue = (int(number or 0) for number in numbers[1:4])
            if max(red, green, blue) - min(red, green, blue) <= 12:
                return 0 if 60 <= red <= 200 else -1
            return 1 if red >= max(green, blue) else -1
        if kind == "38" and numbers[0] == "5":
            number = int(numbers[1] or 0)
            if number >= 232 or number == 8:
                return 0 if number in range(236, 251) or number == 8 else -1
            if number < 16:
                return 1 if number in (1, 3, 5, 9, 11, 13) else -1
            red, green, blue = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
            return 1 if red >= max(green, blue) and not red == green == blue else -1
        return {"90": 0, "31": 1, "91": 1, "33": 1, "93": 1}.get(kind, -1)


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its text without blanks at the end (no-break spaces are spaces), and where styles begin."""

    text: str
    starts: tuple[int, ...] = (0,)
    styles: tuple[Style, ...] = (PLAIN,)

    def style(self, at: int) -> Style:
        return self.styles[bisect_right(self.starts, at) - 1]

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def first(self) -> Style:
        """The style of the first character that is no blank."""
        return self.style(self.indent)


@dataclass(frozen=True, slots=True)
class Pane:
    """The rows of a capture; empty ones at the end are cut. `coloured` when it came with its colours."""

    rows: tuple[Row, ...]
    coloured: bool

    @property
    def texts(self) -> list[str]:
        return [row.text for row in self.rows]

    @property
    def last_words(self) -> str:
        """The last row that says something, for a person."""
        return next((row.text.strip() for row in reversed(self.rows) if re.search(r"\w", row.text)), "")

    @property
    def without_program(self) -> Screen | None:
        """What the pane is where no program has drawn on it yet, or none runs in it any more; else None."""
        if not self.rows:
            return Screen(ScreenState.STARTING, "the screen is empty")
        ended = self.ending
        return Screen(ScreenState.EXITED, ended) if ended else None

    @property
    def ending(self) -> str | None:
        """What shows that the program has ended: tmux's note, or a shell's prompt, in the last row or amid
        what a killed program left drawn; None when nothing does."""
        if not self.rows:
            return None
        last = self.rows[-1].text
        if is_dead_pane(last) or is_shell_prompt(last):
            return last.strip()
        bottom = self.rows[-8:]
        for above, row in pairwise(bottom):
            prompt = row.text.rstrip("─ ")
            drawn_over = prompt != row.text or _KILLED.search(above.text)
            if drawn_over and row.indent == 0 and len(prompt) > 1 and is_shell_prompt(prompt):
                return prompt
        return None


def read_pane(capture: str) -> Pane:
    lines = list(_lines(capture.replace("\r", "")))
    while lines and not lines[-1].text:
        lines.pop()
    return Pane(tuple(lines), coloured="\x1b[" in capture)


def _lines(capture: str) -> Iterator[Row]:
    """tmux lets a style run on over line ends: the whole capture is one stream."""
    style = PLAIN
    for line in capture.split("\n"):
        parts: list[str] = []
        starts, styles, length = [0], [style], 0
        for found in _PIECE.finditer(line):
            if found["colour"] is not None:
                style = _styled(style, found["colour"])
                starts.append(length)
                styles.append(style)
            elif found["text"]:
                parts.append(found["text"])
                length += len(found["text"])
        text = "".join(parts).replace("\xa0", " ").rstrip()
        yield Row(text, tuple(starts), tuple(styles))


@lru_cache(maxsize=4096)
def _styled(style: Style, codes: str) -> Style:
    parts = iter(codes.replace(":", ";").split(";"))
    colour, faint = style.colour, style.faint
    for part in parts:
        match part.lstrip("0"):
            case "":
                colour, faint = "", False
            case "2":
                faint = True
            case "22":
                faint = False
            case "39":
                colour = ""
            case "38" | "48" as which:
                kind = next(parts, "")
                rest = [next(parts, "") for _ in range(1 if kind == "5" else 3)]
                colour = ";".join((which, kind, *rest)) if which == "38" else colour
            case number if number.isdigit() and (30 <= int(number) <= 37 or 90 <= int(number) <= 97):
                colour = number
            case _:
                pass  # bold, italics, backgrounds
    return Style(colour, faint)
