"""What the forge takes for a mention, a closing keyword or a reference, in text that it renders.

Sources: the patterns of `MentionFilter` and `TeamMentionFilter` in github/html-pipeline (a name after an
``@`` that no word character precedes; nothing within ``pre``, ``code``, ``a``), and GitHub's documentation
pages "Linking a pull request to an issue" (keywords) and "Autolinked references and URLs". Where these
leave a doubt, more is taken for a signal than GitHub does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])

URL = re.compile(
    r"https?://(?P<host>[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+)(?::\d+)?(?P<path>/[^\s<>`]*)?", re.IGNORECASE
)
"""An address that GitHub makes a link of: what is in it mentions nobody."""
MENTION = re.compile(r"(?<![A-Za-z0-9])@(?P<name>[A-Za-z0-9][A-Za-z0-9-]*(?:/[A-Za-z0-9][\w.-]*)?)")
REFERENCE = re.compile(
    r"(?<![\w/.-])(?:(?P<owner>[A-Za-z0-9][A-Za-z0-9-]*)/(?P<name>[A-Za-z0-9_.-]+)|(?P<user>[A-Za-z0-9-]+))?"
    r"(?:#(?P<number>\d+)|@(?P<commit>[0-9a-f]{7,40})\b)|(?<!\w)GH-(?P<gh>\d+)",
    re.IGNORECASE,
)
_ISSUE_PATH = re.compile(
    r"/(?P<repo>[A-Za-z0-9-]+/[A-Za-z0-9_.-]+)/(?:(?:issues|pull|pulls|discussions)/(?P<number>\d+)|commit/)",
    re.IGNORECASE,
)
_KEYWORD = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[ \t]*:?\s*$", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>|<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Signal:
    """`kind` is mention, closes or refers; `repo` is empty for the repository that the text is in.

    Attributes:
        start, end: Where it stands in the text that was searched.
        number: Of the issue or pull request; 0 for a commit.
    """

    kind: str
    start: int
    end: int
    text: str
    repo: str = ""
    number: int = 0
    is_url: bool = False


def in_text(text: str, web: str) -> Iterator[Signal]:
    """Signals in plain text, in order; `web` is the forge's host."""
    found = [*_mentions(text), *_references(text), *_addresses(text, web)]
    end = 0
    for signal in sorted(found, key=lambda one: (one.start, -one.end)):
        if signal.start >= end:
            end = signal.end
            yield signal


def _mentions(text: str) -> Iterator[Signal]:
    links = [match.span() for match in URL.finditer(text)]
    for match in MENTION.finditer(text):
        if not any(start <= match.start() < end for start, end in links):
            yield Signal("mention", *match.span(), match[0])


def _references(text: str) -> Iterator[Signal]:
    links = [match.span() for match in URL.finditer(text)]
    for match in REFERENCE.finditer(text):
        if any(start <= match.start() < end for start, end in links):
            continue
        repo = f"{match['owner']}/{match['name']}" if match["owner"] else match["user"] or ""
        if match["commit"] and not repo:
            continue
        kind = "closes" if _KEYWORD.search(text[: match.start()]) else "refers"
        number = int((match["number"] or match["gh"] or "0")[:18])
        yield Signal(kind, *match.span(), match[0], repo, number)


def _addresses(text: str, web: str) -> Iterator[Signal]:
    for match in URL.finditer(text):
        host = match["host"].casefold().removeprefix("www.")
        path = _ISSUE_PATH.match(match["path"] or "")
        if host == web.casefold() and path is not None:
            kind = "closes" if _KEYWORD.search(text[: match.start()]) else "refers"
            number = int((path["number"] or "0")[:18])
            yield Signal(kind, *match.span(), match[0], path["repo"], number, is_url=True)


def signals(body: str, web: str = "github.com") -> tuple[Signal, ...]:
    """Every signal that the forge would find in `body` once it has rendered it as Markdown.

    Positions are within the piece of text that a signal was found in.
    """
    found = {one: None for piece in _pieces(body, "[^" in body) for one in in_text(piece, web)}
    return tuple(found)


def _pieces(body: str, has_notes: bool) -> Iterator[str]:
    """What is rendered as text, outside of code; entities and escapes as what they stand for.

    Each piece is what may stand in one text node. Of inline HTML both is looked at: what is left when it
    is taken out, and what stands between.
    """
    for token in parsed(body):
        if token.type == "inline":
            yield from _inline(token)
        elif token.type == "html_block":
            yield unescape(_TAG.sub("", token.content))
            yield from map(unescape, _TAG.split(token.content))
            yield token.content
        elif token.type == "code_block" and has_notes:
            # The forge knows footnotes: what is indented below one is text.
            yield from _pieces(token.content, has_notes)


def _inline(token: Token) -> Iterator[str]:
    apart, joined = "", ""
    for child in token.children or ():
        if child.type in ("text", "text_special"):
            apart += child.content
            joined += child.content
        elif child.type in ("softbreak", "hardbreak"):
            apart += "\n"
            joined += "\n"
        elif child.type == "html_inline":
            yield apart
            apart = ""
        else:
            yield from (apart, joined)
            apart, joined = "", ""
            yield from (str(value) for value in (child.attrs or {}).values())
            if child.type == "image":
                yield child.content
    yield from (apart, joined)


def parsed(body: str) -> list[Token]:
    """The tokens of `body` as Markdown."""
    return _MARKDOWN.parse(body)
