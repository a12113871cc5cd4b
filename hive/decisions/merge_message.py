"""The words of a merge commit: the pull request's title, made harmless, and hive's own mark.

Nothing of the branch's commit messages gets in: no trailers that name others as authors or sign for them.
"""

from __future__ import annotations

import re

from hive.decisions.one_line import one_line

_LONGEST = 200
_SKIPS_CI = re.compile(
    r"\[\s*(?:skip[ -]ci|ci[ -]skip|no[ -]ci|skip[ -]actions|actions[ -]skip)\s*\]|\*\*\*NO_CI\*\*\*",
    re.IGNORECASE,
)
"""Words in a commit message for which GitHub Actions (docs: "Skipping workflow runs") and other systems run
nothing: a merge with one of them would never be checked."""
_MENTION = re.compile(r"(?<![\w`@])@(?=[\w-])")


def merge_title(title: str, number: int) -> str:
    """One line, ``TITLE (#7)``; mentions and words that keep CI from running are taken apart."""
    clean = " ".join(_SKIPS_CI.sub(" ", one_line(title)).split())
    clean = _MENTION.sub("", clean)[:_LONGEST].strip() or "Merge"
    return f"{clean} (#{number})"
