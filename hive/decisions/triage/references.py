"""Which issues and pull requests the text of an issue says that it waits for.

Read are sentences (``blocked by #3``, ``depends on o/r#4 and #5``) and open entries of a task list that begin
with a number (``- [ ] #3``). Code, quotes, ticked and struck-out lines say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hive.decisions.foreign_text import without_any
from hive.facts.forge import Issue

_LONGEST = 65_536
"""Characters of a body that are read; GitHub takes no more (documented)."""
_REF = r"(?:(?:https?://[^\s/]{1,255}/)?[\w-]{1,100}/[\w.-]{1,100}(?:/(?:issues|pull)/|#)|#|gh-)[1-9][0-9]{0,8}\b"
_BETWEEN = r"(?: ?(?:,|;|&|\n[-*+]) ?(?:and )?| and |, | )"
_PHRASE = re.compile(
    r"(?<!\w)((?:not|no longer|never|was|were|formerly|previously|\w+n['\u2019]t) )?"
    rf"(?:blocked by|depend(?:s|ing|ent)? (?:up)?on)(?: |:|\*|_|\n|\n?[-+] )*({_REF}(?:{_BETWEEN}{_REF})*)"
)
_ENTRY = re.compile(rf"^[-*+] \[ \] ({_REF})", re.MULTILINE)
_PARTS = re.compile(r"(?:([\w-]+/[\w.-]+?)(?:/(?:issues|pull)/|#)|#|gh-)([1-9][0-9]{0,8})\b")
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_INERT = re.compile(r"`[^`\n]*`|~~[^~\n]*~~")
_HINTS = ("blocked", "depend", "[ ]")
"""Without any of them a text names nothing: most issues are done with in a hundredth of the time."""
_FENCE = ("```", "~~~")


def named_blockers(issue: Issue) -> tuple[str, ...]:
    """``owner/name#3`` in lower case, each once, as they stand in title and body; those of the issue's own
    repository as ``#3``."""
    text = f"{issue.title}\n{issue.body[:_LONGEST]}".casefold()
    if not any(hint in text for hint in _HINTS):
        return ()
    text = _said(text)
    own = issue.repo.casefold()
    found = (_key(ref, own) for ref in _references(text))
    return tuple(dict.fromkeys(found))


def _references(text: str) -> Iterator[str]:
    for phrase in _PHRASE.finditer(text):
        if phrase[1] is None:
            yield from (ref[0] for ref in re.finditer(_REF, phrase[2]))
    yield from (entry[1] for entry in _ENTRY.finditer(text))


def _key(ref: str, own: str) -> str:
    parts = _PARTS.search(ref)
    if parts is None:  # every reference has a number
        return ref
    repo = parts[1] or ""
    return f"#{parts[2]}" if repo in ("", own) else f"{repo}#{parts[2]}"


def _said(text: str) -> str:
    """With a blank between words, without what the writer does not say himself."""
    kept: list[str] = []
    fence = ""
    for line in without_any(text).splitlines():
        bare = " ".join(line.split())
        if fence:
            fence = "" if bare.startswith(fence) else fence
        elif bare.startswith(_FENCE):
            fence = bare[:3]
        elif bare and not bare.startswith((">", "- [x]", "* [x]", "+ [x]")):
            kept.append(_INERT.sub(" ", _LINK.sub(r"\1", bare)))
    return "\n".join(kept)
