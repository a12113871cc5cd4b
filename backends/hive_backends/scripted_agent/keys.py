"""Bytes of a terminal become keys, typed text and pastes, however the bytes are cut.

Text is kept as bytes up to here: what is hashed is what arrived.
"""

from __future__ import annotations

PASTE_START = b"\x1b[200~"
PASTE_END = b"\x1b[201~"

_CONTROLS = {
    0x03: "ctrl-c",
    0x04: "ctrl-d",
    0x0A: "newline",
    0x0D: "enter",
    0x15: "ctrl-u",
    0x7F: "backspace",
    0x08: "backspace",
}
_SEQUENCES = {b"[A": "up", b"[B": "down", b"OA": "up", b"OB": "down", b"OM": "enter", b"\r": "newline"}


class Key:
    """One key by name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Text:
    """Typed bytes: whole UTF-8 characters, but for bytes that are none."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


class Paste:
    """One bracketed paste, exactly as it came."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


Input = Key | Text | Paste


class KeyReader:
    """Feed it bytes; it returns what is complete and keeps the rest.

    A lone escape byte is either a key or the start of a sequence that was cut: `pending_escape` asks
    the caller to come back soon with `flush`.
    """

    def __init__(self) -> None:
        self._buffer = b""
        self._paste: bytearray | None = None

    @property
    def pending_escape(self) -> bool:
        return self._paste is None and self._buffer.startswith(b"\x1b")

    @property
    def in_paste(self) -> bool:
        """Whether a paste has begun and not ended."""
        return self._paste is not None

    def feed(self, data: bytes) -> list[Input]:
        self._buffer += data
        found: list[Input] = []
        while self._buffer:
            item = self._next_paste() if self._paste is not None else self._next_key()
            if item is None:
                break
            if not (isinstance(item, Key) and not item.name):
                found.append(item)
        return found

    def flush(self) -> list[Input]:
        """Nothing followed the escape byte in time: it was the key itself."""
        if not self.pending_escape:
            return []
        self._buffer = self._buffer[1:]
        return [Key("escape"), *self.feed(b"")]

    def _next_paste(self) -> Input | None:
        assert self._paste is not None
        end = self._buffer.find(PASTE_END)
        if end < 0:
            # The end mark itself may be cut: keep its possible beginning.
            keep = next((n for n in range(5, 0, -1) if self._buffer.endswith(PASTE_END[:n])), 0)
            cut = len(self._buffer) - keep
            self._paste += self._buffer[:cut]
            self._buffer = self._buffer[cut:]
            return None
        self._paste += self._buffer[:end]
        self._buffer = self._buffer[end + len(PASTE_END) :]
        pasted, self._paste = bytes(self._paste), None
        return Paste(pasted)

    def _next_key(self) -> Input | None:
        first = self._buffer[0]
        if first == 0x1B:
            return self._next_sequence()
        if first < 0x20 or first == 0x7F:
            self._buffer = self._buffer[1:]
            return Key(_CONTROLS.get(first, ""))
        return self._next_text()

    def _next_sequence(self) -> Input | None:
        rest = self._buffer[1:]
        if not rest:
            return None
        if rest[:1] not in b"[O\r":
            self._buffer = rest
            return Key("escape")
        length = 1 if rest[:1] == b"\r" else _sequence_length(rest)
        if length == 0:
            return None
        sequence, self._buffer = rest[:length], rest[length:]
        if b"\x1b" + sequence == PASTE_START:
            self._paste = bytearray()
            return Key("")
        return Key(_SEQUENCES.get(sequence, ""))

    def _next_text(self) -> Input | None:
        length = 0
        while length < len(self._buffer) and self._buffer[length] >= 0x20 and self._buffer[length] != 0x7F:
            length += 1
        if length == len(self._buffer):
            length -= _cut_character(self._buffer)
        if length == 0:
            return None
        text, self._buffer = self._buffer[:length], self._buffer[length:]
        return Text(text)


def _sequence_length(rest: bytes) -> int:
    """Length of the control sequence at the start of `rest` (after the escape byte); 0 when it is cut."""
    if rest[:1] == b"O":
        return 2 if len(rest) > 1 else 0
    for index in range(1, len(rest)):
        if 0x40 <= rest[index] <= 0x7E:
            return index + 1
    return 0


def _cut_character(data: bytes) -> int:
    """How many bytes at the end of `data` begin a UTF-8 character that is not complete."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return back if needed > back else 0
    return 0
