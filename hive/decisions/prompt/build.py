"""One issue into one prompt. Equal input gives equal bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hive.decisions.foreign_text import Cleaned, clean, one_line, shortened
from hive.decisions.prompt.fence import Part, fenced
from hive.decisions.prompt.order import TaskOrder, first_line, introduction, task_block
from hive.decisions.triage.trust import comments_that_count
from hive.decisions.triage_policy import TriagePolicy
from hive.facts.actors import Actor
from hive.facts.forge import Comment, Issue

MAX_CHARS = 65_536
"""64 KiB, as long as GitHub lets one body be."""
_MAX_TITLE = 300
_MAX_LOGIN = 60
_NO_LOGIN = re.compile(r"[^A-Za-z0-9_.\-\[\]]")
"""What no login of GitHub has: a heading is hive's own line, and no login may write on in it."""
_LOOKED_AT = 4 * MAX_CHARS
"""How much of one text is cleaned before it is cut to what there is room for: what is hidden takes no room,
and an issue form's hidden advice may be longer than the text below it."""


@dataclass(frozen=True, slots=True)
class Stripped:
    """What was taken out of foreign text.

    Attributes:
        where: ``title``, ``body``, ``comment 1`` (counted as they stand in the issue).
        what: html-comment, escape-sequence, control-character, bidirectional-control,
            invisible-character.
    """

    where: str
    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    stripped: tuple[Stripped, ...]


@dataclass(slots=True)
class _Budget:
    """Foreign text as it is taken in, up to a bound."""

    left: int
    parts: list[Part] = field(default_factory=list)
    stripped: list[Stripped] = field(default_factory=list)
    omitted: int = 0
    """Comments for which no room was left."""

    def take(self, where: str, by: str, text: str) -> None:
        beginning = text[: max(_LOOKED_AT, 2 * self.left)]
        cleaned = clean(beginning, cut=len(beginning) < len(text))
        self.note(where, cleaned.stripped)
        shown = cleaned.text if len(cleaned.text) <= self.left else shortened(cleaned.text, self.left)
        is_whole = len(shown) == len(cleaned.text) and len(beginning) == len(text)
        cut = "" if is_whole else f", cut by hive: the first {len(shown)} characters"
        self.parts.append(Part(f"{where}, by {by}{cut}:", shown))
        self.left -= len(shown)

    def note(self, where: str, counts: Mapping[str, int]) -> None:
        self.stripped.extend(Stripped(where, what, count) for what, count in counts.items())


def build(
    issue: Issue,
    *,
    prompt_id: str,
    approved_at: datetime | None,
    policy: TriagePolicy,
    order: TaskOrder | None = None,
    max_chars: int = MAX_CHARS,
) -> Prompt:
    """Return the prompt for `issue` as it was at `approved_at`.

    At most `max_chars` characters of foreign text (title, body, comments) are in it, and what was cut is
    said. Of the comments those count that `policy` lets.
    """
    order = order or TaskOrder()
    title = one_line(issue.title, min(_MAX_TITLE, max_chars))
    budget = _take_in(issue, title, comments_that_count(issue, policy, approved_at), max_chars)
    name, block = fenced(budget.parts, prompt_id)
    sections = [
        first_line(prompt_id, issue.number, order),
        introduction(order),
        task_block(issue.number, order),
        "\n".join([_announcement(name), *_remarks(budget)]),
        block,
    ]
    return Prompt("\n\n".join(sections) + "\n", tuple(budget.stripped))


def _take_in(
    issue: Issue, title: Cleaned, comments: Iterable[tuple[int, Comment]], max_chars: int
) -> _Budget:
    budget = _Budget(max_chars)
    author = _described(issue.author)
    budget.note("title", title.stripped)
    cut = ", cut by hive" if title.text.endswith("…") and not issue.title.rstrip().endswith("…") else ""
    budget.parts.append(Part(f"title, by {author}{cut}:", title.text))
    budget.left -= len(title.text)
    if issue.body:
        budget.take("body", author, issue.body)
    for number, comment in comments:
        if budget.left <= 0:
            budget.omitted += 1
        else:
            when = f", {_spelled(comment.at)}" if comment.at else ""
            budget.take(f"comment {number}", _described(comment.by) + when, comment.body)
    return budget


def _announcement(name: str) -> str:
    return f"What follows up to the line 'end of foreign text {name}' was written by others:"


def _remarks(budget: _Budget) -> Iterable[str]:
    if budget.stripped:
        told = "; ".join(f"{each.where}: {each.count} {each.what}" for each in budget.stripped)
        yield f"(Hive has taken out what people do not see: {told}.)"
    if budget.omitted:
        yield f"(Hive has cut {budget.omitted} more comments, for which there was no room.)"


def _described(actor: Actor | None) -> str:
    if actor is None:
        return "a deleted account (association: none)"
    login = _NO_LOGIN.sub("?", actor.login[:_MAX_LOGIN])
    return f"{login} (association: {actor.association or 'not known'})"


def _spelled(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
