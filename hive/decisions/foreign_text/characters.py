"""Characters that people do not see, and the few of them that writing needs.

Ranges are from the Unicode character database, version 16 (`DerivedCoreProperties.txt`:
Default_Ignorable_Code_Point; `emoji-data.txt`: Extended_Pictographic; `Blocks.txt`).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right

ZWNJ, ZWJ = "\u200c", "\u200d"
SELECTORS = frozenset("\ufe0e\ufe0f")
"""Text and emoji presentation."""
JOINERS = frozenset({ZWNJ, ZWJ})
CONDITIONAL = JOINERS | SELECTORS
"""Invisible, and part of how some emoji and some scripts are written."""

BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
"""All that are ignorable by default but for the conditional ones, and other formats without a glyph."""
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""C0 and C1 controls but for tab and line feed."""
ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, modes
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9b-\x9f]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two characters and more
)

_JOINING_BLOCKS = (
    (0x0600, 0x06FF),  # Arabic
    (0x0700, 0x077F),  # Syriac, Arabic supplement
    (0x07C0, 0x07FF),  # N'Ko
    (0x0840, 0x08FF),  # Mandaic, Syriac supplement, Arabic extended
    (0x0900, 0x0DFF),  # Devanagari to Sinhala
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1800, 0x18AF),  # Mongolian
    (0x1B00, 0x1B7F),  # Balinese
    (0xA840, 0xA87F),  # Phags-pa
    (0xA8E0, 0xA8FF),  # Devanagari extended
    (0xA980, 0xA9FF),  # Javanese, Myanmar extended B
    (0xAA60, 0xAA7F),  # Myanmar extended A
    (0xFB50, 0xFDFF),  # Arabic presentation forms A
    (0xFE70, 0xFEFE),  # Arabic presentation forms B
    (0x10D00, 0x10D3F),  # Hanifi Rohingya
    (0x1E900, 0x1E95F),  # Adlam
)
_PICTOGRAPHS = (
    "a9 ae 203c 2049 2122 2139 2194-2199 21a9-21aa 231a-231b 2328 2388 23cf 23e9-23f3 23f8-23fa 24c2 "
    "25aa-25ab 25b6 25c0 25fb-25fe 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271d 2721 "
    "2728 2733-2734 2744 2747 274c 274e 2753-2755 2757 2763-2767 2795-2797 27a1 27b0 27bf 2934-2935 "
    "2b05-2b07 2b1b-2b1c 2b50 2b55 3030 303d 3297 3299 1f000-1f0ff 1f10d-1f10f 1f12f 1f16c-1f171 "
    "1f17e-1f17f 1f18e 1f191-1f19a 1f1ad-1f1e5 1f201-1f20f 1f21a 1f22f 1f232-1f23a 1f23c-1f23f "
    "1f249-1f3fa 1f400-1f53d 1f546-1f64f 1f680-1f6ff 1f774-1f77f 1f7d5-1f7ff 1f80c-1f80f 1f848-1f84f "
    "1f85a-1f85f 1f888-1f88f 1f8ae-1f8ff 1f90c-1f93a 1f93c-1f945 1f947-1faff 1fc00-1fffd"
)
_MODIFIERS = ("\U0001f3fb", "\U0001f3ff")
"""First and last skin tone, which follow an emoji."""
_KEYCAP = "\u20e3"


def _parse(ranges: str) -> tuple[tuple[int, int], ...]:
    ends = (part.split("-") for part in ranges.split())
    return tuple((int(end[0], 16), int(end[-1], 16)) for end in ends)


_PICTOGRAPH_RANGES = _parse(_PICTOGRAPHS)


def belongs(character: str, before: str, previous: str, following: str) -> bool:
    """Whether a conditional `character` is part of how its neighbours are written.

    `previous` and `following` are its neighbours and `before` the one before `previous`; each is one
    character, or empty at the ends of the text.
    """
    if character in SELECTORS:
        return is_pictograph(previous) or (previous in _KEYCAP_BASES and following == _KEYCAP)
    if is_joining(previous) and is_joining(following):
        return True
    ends_emoji = is_pictograph(previous) or _is_modifier(previous)
    if previous in SELECTORS:
        ends_emoji = is_pictograph(before)
    return character == ZWJ and ends_emoji and is_pictograph(following)


_KEYCAP_BASES = frozenset("0123456789#*")


def is_joining(character: str) -> bool:
    """Whether it is a letter, or a mark on one, of a script whose letters join."""
    return (
        bool(character)
        and _within(ord(character), _JOINING_BLOCKS)
        and unicodedata.category(character)[0] in "LM"
    )


def is_pictograph(character: str) -> bool:
    return bool(character) and _within(ord(character), _PICTOGRAPH_RANGES)


def _is_modifier(character: str) -> bool:
    return bool(character) and _MODIFIERS[0] <= character <= _MODIFIERS[1]


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    index = bisect_right(ranges, (code, 0x110000)) - 1
    return index >= 0 and ranges[index][0] <= code <= ranges[index][1]
