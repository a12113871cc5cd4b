"""What tables show: rows of toned text."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len

from hive.dashboard.looks import Tone


@dataclass(frozen=True, slots=True)
class Cell:
    """Text on one line, without control characters, and how it is toned."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Row:
    """`key` names what the row is about and stays when the row moves; `widths` are of its cells."""

    key: str
    cells: tuple[Cell, ...]
    widths: tuple[int, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(cell_len(cell.text) for cell in self.cells))

    def having(self, place: int, cell: Cell) -> Row:
        """The same row with another cell at `place`."""
        return Row(self.key, (*self.cells[:place], cell, *self.cells[place + 1 :]))

    def mentions(self, needle: str) -> bool:
        return any(needle in cell.text.casefold() for cell in self.cells)
