"""Texts into panes: exact, and how soon they are there, against the ways of doing it with processes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hive.bench import BenchResult, BenchRow, at_most, below, faster
from hive.bench.rawcontrol import RawControl
from hive.decisions.pasteable import pasteable
from hive.ports.terminal import SessionOrder
from hive.shells.tmux import TmuxTerminal

_END = b"\x1b[201~"
_BEGIN = b"\x1b[200~"
_NAME = "hive-reader"

# Reads raw, asks for bracketed paste, logs what comes.
_READER = """
import os, sys, tty
tty.setraw(0)
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(1, b"\\x1b[?2004hready\\r\\n")
while data := os.read(0, 1 << 16):
    os.write(log, data)
"""

EDGES = (
    *("run the tests;", ";", "a;;b", "ls\\;", "-rf everything", "-- --help", "ssh -t host", "it's"),
    *('say "no"', "$(id) `id`", "$HOME ${PATH}", "~/x ~root", "#{pane_id} ##", "%end 1 2 3", "%Y %d"),
    *("\\n \\t \\\\", "{ } }{", "# no comment", "Enter C-c", "\ta\t\tb\t", "one\n\n\nfour", "one\n"),
    *("\n\n", "  a  ", " ", "!ls", "/clear", "日本語 👩\u200d👧 e\u0301", "a\u00a0b\u200bc\ufeffd"),
    *("x" * 4_095, "y" * 5_000, "a" * 16_000, "b" * 17_000, "ä" * 20_000, "😀" * 25_000),
    "of $x \\; ~ “text”;\n" * 4_500,
)
"""What has gone wrong in tools of this kind: see the method table of the measurements."""


class _Reader:
    """A pane that logs, and the log."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "s"
        self.terminal = TmuxTerminal(self.socket, timeout=30)
        self._log = folder / "log"
        self._log.touch()
        self._seen = 0
        argv = (sys.executable, "-S", "-c", _READER, str(self._log))
        self.terminal.create(SessionOrder(_NAME, argv, {"PATH": os.defpath}, "/"))
        deadline = time.monotonic() + 10
        while "ready" not in self.terminal.capture([_NAME])[_NAME] and time.monotonic() < deadline:
            time.sleep(0.01)

    def receive(self, size: int) -> bytes:
        """The next `size` bytes, or what came of them within five seconds."""
        deadline = time.monotonic() + 5
        while self._log.stat().st_size < self._seen + size and time.monotonic() < deadline:
            time.sleep(0.0002)
        with self._log.open("rb") as log:
            log.seek(self._seen)
            data = log.read()
        self._seen += len(data)
        return data

    def close(self) -> None:
        self.terminal.stop(_NAME)
        self.terminal.close()
        subprocess.run(["tmux", "-S", str(self.socket), "kill-server"], capture_output=True, check=False)


def run(*, times: int = 15) -> BenchResult:
    """Send the edge cases once, and texts of 1, 10 and 100 kB `times` times by each way."""
    with tempfile.TemporaryDirectory(prefix="hive-bench-") as folder:
        reader = _Reader(Path(folder))
        try:
            rows = [_edges(reader), *_speeds(reader, Path(folder), times)]
        finally:
            reader.close()
    return BenchResult("prompts", tuple(rows), f"{len(EDGES)} edge cases")


def _edges(reader: _Reader) -> BenchRow:
    wrong = 0
    for text in EDGES:
        want = _BEGIN + text.encode() + _END
        reader.terminal.paste(_NAME, pasteable(text).text, {"prompt": "p"})
        wrong += reader.receive(len(want)) != want
    return below(f"wrong of {len(EDGES)} edge cases", wrong, "texts", 0)


def _speeds(reader: _Reader, folder: Path, times: int) -> list[BenchRow]:
    raw = RawControl(reader.socket)
    rows = []
    for kilobytes in (1, 10, 100):
        text = "0123456789abcde\n" * (64 * kilobytes)
        size = len(text) + len(_BEGIN) + len(_END)
        ways: dict[str, Callable[[], None]] = {
            "hive": lambda text=text: reader.terminal.paste(_NAME, text, {"prompt": "p"}),  # type: ignore[misc]  # the default binds this round's text
            "raw": lambda text=text: _by_control(raw, folder, text),  # type: ignore[misc]  # likewise
            "processes": lambda text=text: _by_processes(reader.socket, text),  # type: ignore[misc]  # likewise
        }
        took: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(times):
            for name, way in ways.items():
                took[name].append(_timed(reader, way, size))
        hive, bare, two = (statistics.median(took[name]) for name in ways)
        rows.append(at_most(f"{kilobytes} kB", hive, "ms", "raw control mode", bare, times=None))
        if kilobytes == 10:
            rows.append(faster(f"{kilobytes} kB", hive, "ms", "two processes", two, times=3))
    raw.close()
    return rows


def _timed(reader: _Reader, way: Callable[[], None], size: int) -> float:
    """Milliseconds until the text was handed over and tmux had answered; its arrival is waited for."""
    start = time.perf_counter()
    way()
    spent = (time.perf_counter() - start) * 1e3
    reader.receive(size)
    return spent


def _by_control(raw: RawControl, folder: Path, text: str) -> None:
    path = folder / "text"
    path.write_text(text)
    raw.send([f"load-buffer -b bench {path}", f"paste-buffer -p -r -d -b bench -t {_NAME}:"])


def _by_processes(socket: Path, text: str) -> None:
    tmux = ["tmux", "-S", str(socket)]
    subprocess.run([*tmux, "load-buffer", "-b", "bench", "-"], input=text.encode(), check=True)
    subprocess.run([*tmux, "paste-buffer", "-p", "-r", "-d", "-b", "bench", "-t", f"={_NAME}:"], check=True)
