"""Telling a misspelt word from another word.

A misspelt role or key that was silently taken for something else would change what hive allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


def near_miss(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` misspells, `None` if it is one of them or resembles none.

    Words are compared without regard to case, underscores and blanks. One edit (a letter more, less,
    changed or swapped with its neighbour) is a misspelling, and so are two in a word of six letters or more
    that begins alike: whoever misspells rarely misses the first letter, and a planner is no scanner.
    """
    candidates = tuple(known)
    if word in candidates:
        return None
    folded = _fold(word)
    distances = ((edits(folded, _fold(candidate)), candidate) for candidate in candidates)
    return min((each for each in distances if each[0] <= _tolerance(folded, each[1])), default=(0, None))[1]


def _tolerance(folded: str, candidate: str) -> int:
    is_long = min(len(folded), len(candidate)) > 5
    return 2 if is_long and folded[0] == _fold(candidate)[0] else 1


def edits(one: str, other: str) -> int:
    """Return how many edits turn `one` into `other`; swapping two neighbours is one edit."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        above, row = row, [i]
        for j, wanted in enumerate(other, start=1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return row[-1]


def _fold(word: str) -> str:
    return re.sub(r"[\s_]+", "-", word.strip().casefold())
