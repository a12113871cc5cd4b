"""Markdown that people read around and nobody sees: definitions of links that nothing uses, and pictures.

``[//]: # (text)`` is the usual way to write a comment that is none of HTML's; what a picture's sources say
about themselves is shown in no browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hive.decisions.foreign_text.markup import shown_regions

_PICTURE = re.compile(r"<picture(?=[\s/>])|</picture\s{0,9}>", re.I)
_INSTEAD = "(picture)"


def without_definitions(text: str) -> tuple[str, int]:
    """Return `text` without definitions of links that nothing else in it uses, and their number."""
    if "]:" not in text:
        return text, 0
    lines = text.split("\n")
    found = list(_definitions(text))
    of_one = {number for _, start, end in found for number in range(start, end)}
    used = " ".join(" ".join(line for at, line in enumerate(lines) if at not in of_one).casefold().split())
    unused = [(start, end) for label, start, end in found if label is None or f"[{label}]" not in used]
    gone = {number for start, end in unused for number in range(start, end)}
    return "\n".join(line for at, line in enumerate(lines) if at not in gone), len(unused)


def without_pictures(text: str) -> tuple[str, int]:
    """Return `text` with a word for each whole picture outside of code blocks, and their number."""
    if _PICTURE.search(text) is None:
        return text, 0
    kept: list[str] = []
    taken = 0
    for region, is_code in shown_regions(text):
        shown, count = (region, 0) if is_code else _pictures(region)
        kept.append(shown)
        taken += count
    return "\n".join(kept), taken


def _definitions(text: str) -> Iterator[tuple[str | None, int, int]]:
    """Label (`None` where an earlier definition counts instead), first line and the line behind the last."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    told: dict[str, Any] = {}
    parser.parse(text, told)
    for label, one in told.get("references", {}).items():
        yield str(label).casefold(), *one["map"]
    for one in told.get("duplicate_refs", ()):
        yield None, *one["map"]


def _pictures(region: str) -> tuple[str, int]:
    kept: list[str] = []
    at = taken = 0
    opened: int | None = None
    for tag in _PICTURE.finditer(region):
        is_end = region[tag.start() + 1] == "/"
        if opened is None and not is_end:
            opened = tag.start()
        elif opened is not None and is_end:
            kept += [region[at:opened], _INSTEAD]
            at, opened, taken = tag.end(), None, taken + 1
    return "".join(kept) + region[at:], taken
