"""What a push brings, read from ``git log --patch --cc --pretty=fuller``.

Only what is added is published: what a commit removes, or what stands around a change, is not its doing.
Every line of a file has a mark before it, so that no content can pass for a header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hive.contracts.guardrail import Proposal

_COMMIT = re.compile(r"commit [0-9a-f]{40,64}\b")
_BY = re.compile(r"(?:Author|Commit): +.*<([^<>]*)>$")
_HUNK = re.compile(r"(@@+) .* \1")
_DIFF = re.compile(r"diff --(git|cc|combined) (.*)")
_LINK = re.compile(r"(?:new (?:file )?mode |index \S+ |mode \S+\.\.)(120000|160000)$")
"""A header that says what the entry is from then on; a deleted one stands for nothing any more."""
_KINDS = {"120000": "a symbolic link", "160000": "a submodule"}


@dataclass(frozen=True)
class Brought:
    """Attributes:
    published: Messages, and the lines that are added to files.
    lines: How many lines of files are added or removed.
    emails: Of authors and committers, each once, in order.
    links: Paths that stand for something elsewhere, as git quotes them, and what each is; once, in order.
    """

    published: str
    lines: int
    emails: tuple[str, ...]
    links: tuple[tuple[str, str], ...] = ()


def brought(proposal: Proposal) -> Brought:
    """What a push brings; of anything else all of the text is published, and each line counts."""
    return _read(proposal.text, is_push=bool(proposal.paths))


@lru_cache(maxsize=1)
def _read(text: str, *, is_push: bool) -> Brought:
    """The last answer is kept: one proposal is put to each guardrail in turn."""
    if not is_push or _COMMIT.match(text) is None:
        return Brought(text, text.count("\n") + 1 if text else 0, ())
    reading = _Reading()
    for line in text.split("\n"):
        reading.take(line)
    return Brought(
        published="\n".join(reading.published),
        lines=reading.lines,
        emails=tuple(dict.fromkeys(reading.emails)),
        links=tuple(dict.fromkeys(reading.links)),
    )


class _Reading:
    def __init__(self) -> None:
        self.published: list[str] = []
        self.emails: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.lines = 0
        self._path = ""
        self._marks = 0
        """Columns before a line of a file: one for each parent; 0 outside of hunks."""

    def take(self, line: str) -> None:
        if _COMMIT.match(line) or line.startswith("diff --"):
            self._marks = 0
            self._path = _path(line)
        elif hunk := _HUNK.match(line):
            self._marks = len(hunk[1]) - 1
        elif self._marks:
            self._of_a_file(line[: self._marks], line[self._marks :])
        elif line.startswith("    "):
            self.published.append(line[4:])
        elif by := _BY.match(line):
            self.emails.append(by[1])
        elif link := _LINK.match(line):
            self.links.append((self._path, _KINDS[link[1]]))

    def _of_a_file(self, marks: str, content: str) -> None:
        self.lines += "+" in marks or "-" in marks
        if "+" in marks:
            self.published.append(content)


def _path(header: str) -> str:
    """The path that a diff's first line names; without renames it stands there twice, in a merge's once."""
    found = _DIFF.match(header)
    if found is None:
        return ""
    named = found[2]
    return named[: len(named) // 2].replace("a/", "", 1) if found[1] == "git" else named
