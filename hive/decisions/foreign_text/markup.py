"""Markup that the forge does not show: HTML comments, declarations, processing instructions.

What stands in a code block is shown to people as it is, so it is kept; where the code blocks are is for a
CommonMark parser to say, since a wrong guess would keep hidden text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENER = re.compile(r"<!--|<\?|<!(?=[A-Za-z\[])")
"""A comment, or what HTML reads as one: processing instructions, declarations, CDATA sections."""
_PASSES = 8
"""Taking markup out can turn code into text; more rounds than this no honest text needs."""


def without_hidden(text: str, *, cut: bool = False) -> tuple[str, int]:
    """Return `text` without hidden markup outside of code blocks, and how many pieces were taken out.

    `cut` says that `text` goes on elsewhere: then markup without an end is taken to end there.
    """
    taken = 0
    for _ in range(_PASSES):
        if _OPENER.search(text) is None:
            return text, taken
        shown, count = _one_pass(text, cut)
        taken += count
        if shown == text:
            return text, taken
        text = shown
    shown, count = _scan(text, to_end=True)
    return shown, taken + count


def without_any(text: str) -> str:
    """Return `text` without hidden markup, in code or not: for looking for words, not for showing."""
    return _scan(text, to_end=False)[0]


def shown_regions(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of `text`, to be joined by line ends, and whether each is code, which is shown as it is."""
    lines = text.split("\n")
    for start, end, kind in _regions(text, len(lines)):
        yield "\n".join(lines[start:end]), kind == "code"


def _one_pass(text: str, cut: bool) -> tuple[str, int]:
    lines = text.split("\n")
    kept: list[str] = []
    taken = 0
    for start, end, kind in _regions(text, len(lines)):
        region = "\n".join(lines[start:end])
        if kind == "code":
            kept.append(region)
            continue
        # An HTML block is passed on raw: a comment that it leaves open hides all that follows.
        opens = kind == "html" and _left_open(region)
        if opens or (cut and end == len(lines)):
            region = "\n".join(lines[start:])
            shown, count = _scan(region, to_end=True)
            return "\n".join([*kept, shown]), taken + count
        # What else it leaves open ends with it: at the next tag that the forge writes.
        shown, count = _scan(region, to_end=kind == "html")
        kept.append(shown)
        taken += count
    return "\n".join(kept), taken


def _regions(text: str, total: int) -> Iterator[tuple[int, int, str]]:
    """Line ranges that cover the text, in order: ``code``, ``html`` and ``text``."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    at = 0
    for token in parser.parse(text):
        if token.map is None or token.type not in ("fence", "code_block", "html_block"):
            continue
        # The line that opens a fence shows no more than the language.
        start, end = token.map[0] + (token.type == "fence"), token.map[1]
        if start > at:
            yield at, start, "text"
        if end > max(start, at):
            yield max(start, at), end, "html" if token.type == "html_block" else "code"
        at = max(at, end)
    if at < total:
        yield at, total, "text"


def _left_open(region: str) -> bool:
    return any(end is None and opener == "<!--" for _, end, opener in _pieces(region))


def _scan(text: str, *, to_end: bool) -> tuple[str, int]:
    kept: list[str] = []
    at = taken = 0
    for start, end, _ in _pieces(text):
        if end is None and not to_end:
            continue
        before = text[at:start]
        kept.append(before)
        # What stood apart must not become a new opener or closer by standing together.
        if before[-1:] in ("<", "!", "-", "[", "?"):
            kept.append(" ")
        at = len(text) if end is None else end
        taken += 1
        if end is None:
            break
    kept.append(text[at:])
    return "".join(kept), taken


def _pieces(text: str) -> Iterator[tuple[int, int | None, str]]:
    """Start, end (`None`: never closed) and opener of each piece of hidden markup, in order."""
    at = 0
    endless: set[str] = set()
    while (match := _OPENER.search(text, at)) is not None:
        opener = match[0]
        # `<!-->` and `<!--->` are whole comments.
        seek = match.start() + 2 if opener == "<!--" else match.end()
        closer = "-->" if opener == "<!--" else ">"
        closed = -1 if opener in endless else text.find(closer, seek)
        if closed < 0:
            endless.add(opener)
            yield match.start(), None, opener
            at = match.end()
        else:
            at = closed + len(closer)
            yield match.start(), at, opener
