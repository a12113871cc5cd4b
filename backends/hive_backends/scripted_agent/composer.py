"""What has been typed and pasted and not yet submitted."""

from __future__ import annotations

_CHIP_LINES = 3
_CHIP_BYTES = 400
"""A paste longer than either is shown as a chip; chosen so that a composer stays a few lines high."""


class Composer:
    """Pieces in order: typed runs (False) and pastes (True)."""

    def __init__(self) -> None:
        self._pieces: list[tuple[bool, bytes]] = []

    @property
    def is_empty(self) -> bool:
        return not self._pieces

    @property
    def is_blank(self) -> bool:
        """Nothing that could be submitted."""
        return not any(data.strip() for _, data in self._pieces)

    def type(self, data: bytes) -> None:
        if self._pieces and not self._pieces[-1][0]:
            data = self._pieces.pop()[1] + data
        self._pieces.append((False, data))

    def paste(self, data: bytes) -> None:
        if data:
            self._pieces.append((True, data))

    def erase(self) -> None:
        """Take back the last character, or the last paste as a whole."""
        if not self._pieces:
            return
        pasted, data = self._pieces.pop()
        shorter = b"" if pasted else _without_last_character(data)
        if shorter:
            self._pieces.append((False, shorter))

    def clear(self) -> None:
        self._pieces.clear()

    def take(self) -> bytes:
        """The whole draft, which is thereby gone."""
        draft = b"".join(data for _, data in self._pieces)
        self.clear()
        return draft

    def shown(self) -> str:
        """The draft as a person sees it: long pastes as chips."""
        return "".join(
            _chip(data) if pasted else data.decode(errors="replace") for pasted, data in self._pieces
        )


def _chip(data: bytes) -> str:
    lines = len(data.splitlines())
    if lines > _CHIP_LINES or len(data) > _CHIP_BYTES:
        return f"[pasted {lines} line{'' if lines == 1 else 's'}]"
    return data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")


def _without_last_character(data: bytes) -> bytes:
    end = len(data) - 1
    while end > 0 and data[end] & 0xC0 == 0x80:
        end -= 1
    return data[:end]
