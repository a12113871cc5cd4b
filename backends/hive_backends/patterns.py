"""Regular expressions of an operator's, compiled only where their work is bounded.

Python's matcher has no time limit. What can cost more than a few milliseconds on one row is refused when the
configuration is read: a repetition inside another, alternatives inside one, more than two open ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]  # the only parser of Python's own syntax
from typing import Any

LONGEST_ROW = 300
"""Characters of a row that are looked at. Two open repetitions then take 90,000 steps at most."""
_LONGEST = 500
_OPEN = 2
_SMALL = 32
"""Repetitions of at most so many characters count as bounded."""


def objection(pattern: str) -> str:
    """Why `pattern` is not used; empty where it is."""
    if not pattern or len(pattern) > _LONGEST:
        return f"a pattern has 1 to {_LONGEST} characters"
    try:
        parsed = _parser.parse(pattern)
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"it is no regular expression: {error}"
    opened = list(_open_repeats(parsed, within=False))
    if any(opened):
        return "it repeats what itself repeats or has alternatives, which may take for ever; write it plainly"
    if len(opened) > _OPEN:
        return f"it has {len(opened)} open repetitions (* or +); at most {_OPEN} are bounded in time"
    if any(True for _ in _references(parsed)):
        return "it refers back to a group, or looks around, which may take for ever"
    return ""


def _open_repeats(parsed: Any, *, within: bool) -> Iterator[bool]:
    """For each open repetition, and each alternative inside of one, whether it stands in another."""
    for code, argument in parsed:
        if code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            least, most, body = argument
            is_open = most is _constants.MAXREPEAT or most > _SMALL
            varies = most is _constants.MAXREPEAT or most != least
            if is_open or (within and varies):
                yield within
            yield from _open_repeats(body, within=within or is_open or (varies and most > 1))
        elif code is _constants.BRANCH:
            if within:
                yield True
            for branch in argument[1]:
                yield from _open_repeats(branch, within=within)
        elif code is _constants.SUBPATTERN:
            yield from _open_repeats(argument[-1], within=within)
        elif code in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _open_repeats(argument[1], within=within)
        elif code is _constants.ATOMIC_GROUP:
            yield from _open_repeats(argument, within=within)


def _references(parsed: Any) -> Iterator[None]:
    refused = (
        _constants.GROUPREF,
        _constants.GROUPREF_EXISTS,
        _constants.ASSERT,
        _constants.ASSERT_NOT,
    )
    for code, argument in parsed:
        if code in refused:
            yield None
        elif code is _constants.SUBPATTERN:
            yield from _references(argument[-1])
        elif code is _constants.BRANCH:
            for branch in argument[1]:
                yield from _references(branch)
        elif code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            yield from _references(argument[2])
