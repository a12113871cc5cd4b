"""Another program's screen, made safe and small enough to draw.

An agent's terminal may hold anything: megabytes, one endless line, escapes that move the cursor. Only
colours survive, only the end of it is looked at, and a line that did not change is not read again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.ansi import AnsiDecoder
from rich.style import Style
from rich.text import Text

MOST_CHARACTERS = 256_000
"""Of a whole screen, escapes included: ten times a full 200×60 screen with a colour for each word."""
MOST_LINES = 200
MOST_OF_A_LINE = 8_000
"""A line of 200 cells with an RGB colour for every cell."""

_ESCAPES = re.compile(
    r"(?P<colour>\x1b\[[0-9;]*m)"
    r"|\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC, DCS, APC, PM, SOS with what they carry
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_CUT_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*)?\Z")


def last_lines(text: str) -> list[str]:
    """The last lines of `text`, without blank ones at the end, bounded, with no escapes but colours."""
    tail = text[-MOST_CHARACTERS:]
    lines = tail.replace("\r\n", "\n").split("\n")
    if len(tail) < len(text) and len(lines) > 1:
        del lines[0]  # its beginning, perhaps an escape's, was cut off
    while lines and not lines[-1].strip():
        lines.pop()
    return [_safe(line) for line in lines[-MOST_LINES:]]


def _safe(line: str) -> str:
    if len(line) > MOST_OF_A_LINE:
        line = _CUT_ESCAPE.sub("", line[:MOST_OF_A_LINE])
    return _ESCAPES.sub(lambda found: found["colour"] or "", line.expandtabs(8) if "\t" in line else line)


class Decoder:
    """Turns lines into styled text; colours run on from line to line as they do on a terminal."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Text, Style]] = {}

    def decode(self, lines: Sequence[str]) -> list[Text]:
        """Styled text of each line; remembers those of this call for the next."""
        decoder = AnsiDecoder()
        known: dict[tuple[str, str], tuple[Text, Style]] = {}
        texts = []
        for line in lines:
            key = (str(decoder.style), line)
            entry = known.get(key) or self._known.get(key)
            if entry is None:
                entry = (decoder.decode_line(line), decoder.style)
            known[key] = entry
            texts.append(entry[0])
            decoder.style = entry[1]
        self._known = known
        return texts
