"""Numbers with their nouns, as a person reads them."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 commit`, `2 commits`, `0 commits`; `plural` is given where an s at the end does not make it."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def often(count: int) -> str:
    """`once`, or `2 times`."""
    return "once" if count == 1 else f"{count} times"
