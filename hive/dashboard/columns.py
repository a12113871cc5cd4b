"""Which columns of a table fit, and how wide each is. Never wider than there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GAP = 1
"""Blank cells between two columns."""

LUXURY = 5
"""A column of this importance or more is shown only when every other one has all the room it wants."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        least: Cells below which it says nothing.
        most: Cells above which it is only wide.
        importance: The higher number leaves first when there is no room.
    """

    title: str
    least: int
    most: int
    importance: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """A column that is shown: its place among all columns, and its width in cells."""

    index: int
    width: int


def fit(columns: Sequence[Column], wanted: Sequence[int], room: int) -> tuple[Fitted, ...]:
    """The columns that fit into `room` cells, in order, each as wide as its content wants if it can be.

    `wanted` is the width of the widest content of each column.
    """
    asked = [max(column.least, min(want, column.most)) for column, want in zip(columns, wanted, strict=True)]
    least = [column.least for column in columns]
    shown = list(range(len(columns)))
    while len(shown) > 1:
        last = max(shown, key=lambda index: (columns[index].importance, index))
        if _width(asked if columns[last].importance >= LUXURY else least, shown) <= room:
            break
        shown.remove(last)
    widths = {index: min(columns[index].least, room) for index in shown}
    spare = room - sum(widths.values()) - GAP * (len(shown) - 1)
    for index in sorted(shown, key=lambda index: columns[index].importance):
        more = min(asked[index] - widths[index], spare) if spare > 0 else 0
        widths[index] += more
        spare -= more
    return tuple(Fitted(index, widths[index]) for index in shown)


def _width(widths: Sequence[int], shown: Sequence[int]) -> int:
    return sum(widths[index] for index in shown) + GAP * (len(shown) - 1)
