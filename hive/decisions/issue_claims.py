"""Which open issues an open pull request is about, whoever opened it and however it says so.

Case 71: an issue that somebody is at must be given to nobody else, though the pull request only names it by
its branch, or comes from a fork.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hive.facts.forge import Issue, PullRequest, PullRequestRef, RepositorySnapshot

_VERSIONS = frozenset({"release", "releases", "rel", "version", "stable", "backport", "hotfix"})
_NUMBERED = re.compile(
    r"(?:(?:issues?|gh|fix(?:es)?|bug|closes|task|ticket)[-_]?#?)?([1-9]\d{0,8})(?![.\d])(?:[-_]|$)",
    re.IGNORECASE,
)
_CODE = re.compile(r"(```|~~~).*?(?:\1|\Z)|`[^`\n]*`|<!--.*?(?:-->|\Z)", re.DOTALL)
_IN_TITLE = re.compile(r"(?<![\w/#])#([1-9]\d{0,8})\b")
_FOR = (
    r"(?:for|part of|addresses|implements|resolving|works? on|working on|towards?|issues?|tickets?"
    r"|close[sd]?|fix(?:e[sd])?|resolve[sd]?)"
)
"""The words by which the forge links besides: it does so only towards the default branch."""
_LONGEST = 65_536
"""Characters of a body that are read; GitHub takes no longer one."""


def with_claims(look: RepositorySnapshot) -> RepositorySnapshot:
    """`look`, its issues with every open pull request that is about them. Those that the forge told keep
    their place; the others are added with how they say so."""
    wanted = {issue.number for issue in look.issues}
    found: dict[int, list[PullRequestRef]] = {}
    for pull in look.pull_requests:
        for number, how in _about(pull, look.repo):
            if number in wanted:
                found.setdefault(number, []).append(PullRequestRef(pull.number, "open", pull.author, how))
    if not found:
        return look
    return replace(look, issues=tuple(_claimed(issue, found.get(issue.number, [])) for issue in look.issues))


def _claimed(issue: Issue, found: list[PullRequestRef]) -> Issue:
    known = {one.number for one in issue.pull_requests if one.state == "open"}
    added = tuple(one for one in found if one.number not in known)
    return replace(issue, pull_requests=(*issue.pull_requests, *added)) if added else issue


def _about(pull: PullRequest, repo: str) -> Iterator[tuple[int, str]]:
    """Each issue once, with how: what the forge itself links is not looked at again."""
    seen: set[int] = set()
    for number, how in _signs(pull, repo):
        if number not in seen and number != pull.number:
            seen.add(number)
            yield number, how


def _signs(pull: PullRequest, repo: str) -> Iterator[tuple[int, str]]:
    for one in pull.linked_issues or ():
        yield one.number, ""
    number = of_branch(pull.head_ref)
    if number:
        yield number, "by the name of its branch"
    for found in _IN_TITLE.finditer(pull.title):
        yield int(found[1]), "by its title"
    text = _CODE.sub(" ", pull.body[:_LONGEST])
    address = rf"https?://[^\s/]+/{re.escape(repo)}/issues/"
    link = re.compile(
        rf"\b{_FOR}[:\s]+(?:{re.escape(repo)}#|#|GH-|{address})([1-9]\d{{0,8}})\b", re.IGNORECASE
    )
    for found in link.finditer(text):
        yield int(found[1]), "by its text"


def of_branch(name: str) -> int:
    """The issue that a branch is named after: ``7-crash``, ``fix/7``, ``hive/AGENT/7-crash``, ``issue-7``; 0
    for none."""
    parts = name.split("/")
    for before, part in zip(["", *parts], parts, strict=False):
        found = _NUMBERED.match(part)
        if found and before.casefold() not in _VERSIONS:
            return int(found[1])
    return 0
