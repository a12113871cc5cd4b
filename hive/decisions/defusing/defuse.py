"""Signals taken out of text before it is published: set in backticks where that helps, else spelt apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from hive.decisions.defusing.signals import Signal, in_text, parsed, signals

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_TICKS = re.compile(r"\\?(`+)")
_AT = re.compile(r"(?:@|&(?:commat|#0*64|#x0*40);)(?! |$)", re.IGNORECASE)
_HASH = re.compile(r"(?<!&)#(?=[\d&\\])|&(?:num|#0*35|#x0*23);(?! |$)", re.IGNORECASE)
_GH = re.compile(r"(?<!\w)(GH)-(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a text may be about.

    Attributes:
        repo: The repository that it is published in; empty where that is not known.
        repos: Those that its agent works on: references to them are no strangers' matter.
        issue: The one that the agent's task is about, in `repo`: the only one that it may close.
        web: The forge's host.
    """

    repo: str
    repos: Collection[str] = ()
    issue: int | None = None
    web: str = "github.com"


def defuse(body: str, scope: Scope) -> str:
    """`body`, Markdown, without signals beyond `scope`; code stays as it is.

    Where the Markdown is such that backticks do not hold (broken HTML, stray backticks), every sign that
    could be one is spelt apart instead, in code too.
    """
    if not _AT.search(body) and not any(True for _ in _wanted(body, scope)) and "&" not in body:
        return body
    written = _outside_code(body, lambda text: _rewritten(text, scope, _in_backticks))
    if not _left(written, scope):
        return written
    return _spelt_apart(body, scope)


def defuse_line(line: str, scope: Scope) -> str:
    """The same for a title or a commit's message, which are no Markdown: each sign is spelt apart."""
    return _rewritten(line, scope, _apart)


def beyond(message: str, scope: Scope) -> str | None:
    """What a commit's message does beyond telling, in words that follow "the message"; `None`: nothing."""
    one = next(_wanted(message, scope), None)
    if one is None:
        return None
    verb = {"mention": "mentions", "closes": "closes", "refers": "refers to"}[one.kind]
    return f"{verb} {one.text}"


def _left(body: str, scope: Scope) -> bool:
    return any(_is_beyond(one, scope) for one in signals(body, scope.web))


def _wanted(text: str, scope: Scope) -> Iterator[Signal]:
    return (one for one in in_text(text, scope.web) if _is_beyond(one, scope))


def _is_beyond(signal: Signal, scope: Scope) -> bool:
    if signal.kind == "mention":
        return True
    repo = (signal.repo or scope.repo).casefold()
    if signal.kind == "closes":
        return (repo, signal.number) != (scope.repo.casefold(), scope.issue)
    return bool(signal.repo) and repo not in {one.casefold() for one in (*scope.repos, scope.repo)}


def _rewritten(text: str, scope: Scope, write: Callable[[Signal, Scope], str]) -> str:
    parts: list[str] = []
    end = 0
    for one in _wanted(text, scope):
        before = text[end : one.start]
        # An escaped sign is one all the same, and would escape the backtick before it.
        parts += [before[:-1] if before.endswith("\\") else before, write(one, scope)]
        end = one.end
    return "".join([*parts, text[end:]])


def _in_backticks(signal: Signal, scope: Scope) -> str:
    return _apart(signal, scope) if signal.is_url else f"`{signal.text}`"


def _apart(signal: Signal, scope: Scope) -> str:
    if not signal.is_url:
        return re.sub(r"([@#]|GH-)", r"\1 ", signal.text, count=1, flags=re.IGNORECASE)
    if scope.web == "github.com":
        # GitHub's own address for links that shall leave no trace; it leads on to the same page.
        return re.sub(r"//(?:www\.)?github\.com", "//redirect.github.com", signal.text, flags=re.IGNORECASE)
    return signal.text.replace("//", "// ", 1)


def _spelt_apart(body: str, scope: Scope) -> str:
    text = _rewritten(body, scope, _apart)
    return _GH.sub(r"\1- ", _HASH.sub("# ", _AT.sub("@ ", text)))


def _outside_code(body: str, change: Callable[[str], str]) -> str:
    """`body` with `change` made to what is neither a block nor a span of code."""
    lines = [match[0] for match in _LINE.finditer(body)]
    code: set[int] = set()
    for token in parsed(body):
        is_code = token.type == "fence" or (token.type == "code_block" and "[^" not in body)
        if is_code and token.map:
            code.update(range(*token.map))
    parts: list[str] = []
    text = ""
    for index, line in enumerate(lines):
        if index not in code:
            text += line
            if line.strip():
                continue
        parts.append(_outside_spans(text, change))
        text = ""
        if index in code:
            parts.append(line)
    return "".join([*parts, _outside_spans(text, change)])


def _outside_spans(text: str, change: Callable[[str], str]) -> str:
    """One paragraph or so: a span of code ends with as many backticks as it began with."""
    parts: list[str] = []
    start = position = 0
    while (opening := _TICKS.search(text, position)) is not None:
        position = opening.end()
        if opening[0].startswith("\\"):
            position = opening.start() + 2
            continue
        closing = next((one for one in _runs(text, position) if len(one[0]) == len(opening[1])), None)
        if closing is not None:
            parts += [change(text[start : opening.start()]), text[opening.start() : closing.end()]]
            start = position = closing.end()
    return "".join([*parts, change(text[start:])])


def _runs(text: str, position: int) -> Iterator[re.Match[str]]:
    return re.compile(r"`+").finditer(text, position)
