"""What of a text may be pasted into a terminal: everything that cannot steer it.

A bracketed paste ends at ``ESC [ 201 ~``. Text that holds one would break out of the paste, and what
follows it would be typed; a bare ``^C`` or ``^D`` acts on some programs even within a paste.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n?")
_MARKER = re.compile(r"(?:\x1b\[|\x9b)20[01]~")
_ESCAPE = re.compile(r"\x1b")
_C0 = re.compile(r"[\x00-\x08\x0b-\x1f]")
_C1 = re.compile(r"[\x7f-\x9f]")

# In order: markers first, while their escape still stands; what is left of a half marker is harmless text.
_REMOVED = (
    ("paste marker", _MARKER),
    ("escape", _ESCAPE),
    ("control character", _C0),
    ("C1 control or DEL", _C1),
)


@dataclass(frozen=True, slots=True)
class Pasteable:
    """A text that a terminal takes as text.

    Attributes:
        stripped: What was taken out and how often, in words for people; empty when nothing was.
            Line ends written as CRLF or CR become LF and are not counted: nothing was lost.
    """

    text: str
    stripped: tuple[tuple[str, int], ...] = ()


def pasteable(text: str) -> Pasteable:
    """Return `text` without anything that steers a terminal; line feeds and tabs stay.

    Removed: bracketed-paste markers, ESC, the C0 controls but LF and TAB, DEL and the C1 controls.
    Lone surrogates, which no encoding carries, become U+FFFD. All else stays as it was.
    """
    text = _LINE_END.sub("\n", text)
    stripped = []
    for what, pattern in _REMOVED:
        text, count = pattern.subn("", text)
        if count:
            stripped.append((what, count))
    kept = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if kept != text:
        stripped.append(("lone surrogate", sum("\ud800" <= char <= "\udfff" for char in text)))
        kept = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return Pasteable(kept, tuple(stripped))


def submittable(text: str) -> str:
    """`text` with a blank behind it where it ends in a backslash: programs take the Enter behind one for a
    new line of the draft (seen with Claude Code and the Gemini CLI)."""
    return f"{text} " if text.endswith("\\") else text
