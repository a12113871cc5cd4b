"""The terminal: raw mode, size, and painting. What was said scrolls up; the chrome is redrawn below it."""

from __future__ import annotations

import os
import re
import termios
from collections import deque

from hive_backends.scripted_agent.drawing import width

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_KEPT = 300
"""Lines said that a resize can bring back; more than any screen shows."""
_LEAST_COLUMNS = 20


class Terminal:
    """Owns the two descriptors from `open` to `close`."""

    def __init__(self, source: int, sink: int, *, bracketed_paste: bool) -> None:
        self._source = source
        self._sink = sink
        self._bracketed_paste = bracketed_paste
        self._saved: list[object] | None = None
        self._said: deque[str] = deque(maxlen=_KEPT)
        self._chrome: list[str] = []
        self.columns, self.rows = 80, 24

    def open(self) -> None:
        self._saved = termios.tcgetattr(self._source)
        raw = termios.tcgetattr(self._source)
        raw[0] &= ~(termios.BRKINT | termios.ICRNL | termios.INPCK | termios.ISTRIP | termios.IXON)
        raw[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._source, termios.TCSAFLUSH, raw)
        self.measure()
        self._write("\x1b[?25l" + ("\x1b[?2004h" if self._bracketed_paste else ""))

    def close(self) -> None:
        if self._saved is None:
            return
        self._write("\x1b[?2004l\x1b[?25h")
        termios.tcsetattr(self._source, termios.TCSADRAIN, self._saved)  # type: ignore[arg-type]  # as tcgetattr gave it
        self._saved = None

    def measure(self) -> None:
        size = os.get_terminal_size(self._sink)
        self.columns, self.rows = max(size.columns, _LEAST_COLUMNS), max(size.lines, 4)

    def say(self, lines: list[str]) -> None:
        """Lines that stay: they push what stands above them upwards."""
        self._said.extend(lines)
        self._write(self._erase() + "".join(f"{line}\r\n" for line in lines) + self._drawn(self._chrome))

    def chrome(self, lines: list[str]) -> None:
        """Redraw the bottom of the screen; nothing is written when nothing changed."""
        lines = lines[-(self.rows - 1) :]
        if lines != self._chrome:
            erase = self._erase()
            self._chrome = lines
            self._write(erase + self._drawn(lines))

    def repaint(self) -> None:
        """After a resize: draw again what fits, from the top."""
        room = self.rows - len(self._chrome) - 1
        kept: list[str] = []
        for line in reversed(self._said):
            room -= max(1, -(-width(_COLOUR.sub("", line)) // self.columns))
            if room < 0:
                break
            kept.insert(0, line)
        self._write("\x1b[2J\x1b[H" + "".join(f"{line}\r\n" for line in kept) + self._drawn(self._chrome))

    def forget_chrome(self) -> None:
        self._chrome = []

    def _erase(self) -> str:
        return f"\r\x1b[{len(self._chrome)}A\x1b[J" if self._chrome else "\r\x1b[J"

    @staticmethod
    def _drawn(lines: list[str]) -> str:
        return "".join(f"{line}\r\n" for line in lines)

    def _write(self, text: str) -> None:
        data = text.encode(errors="replace")
        while data:
            data = data[os.write(self._sink, data) :]
