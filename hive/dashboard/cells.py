"""What tables show: rows of toned text."""

from __future__ import annotations

from dataclasses import dataclass

from hive.dashboard.looks import Tone


@dataclass(frozen=True, slots=True)
class Cell:
    """Text on one line, without control characters, and how it is toned."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Row:
    """`key` names what the row is about and stays when the row moves."""

    key: str
    cells: tuple[Cell, ...]

    def mentions(self, needle: str) -> bool:
        return any(needle in cell.text.casefold() for cell in self.cells)
