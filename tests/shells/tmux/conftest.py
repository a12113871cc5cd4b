"""A real tmux on a private socket, and a reader in a pane that knows exactly what arrived."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from hive.ports.terminal import SessionOrder, Terminal
from hive.shells.tmux import TmuxTerminal
from tests.shells.waiting import eventually

BEGIN, END = b"\x1b[200~", b"\x1b[201~"
PATH = "/usr/local/bin:/usr/bin:/bin"

Start = Callable[..., "None"]


def end_all(terminal: TmuxTerminal) -> None:
    """Stop every session and the server with them."""
    for pane in terminal.look():
        terminal.stop(pane.name)
    terminal.close()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[TmuxTerminal]:
    real = TmuxTerminal(tmp_path / "t" / "s", timeout=20, stop_grace=0.5)
    try:
        yield real
    finally:
        end_all(real)


def order(
    name: str,
    *argv: str,
    environment: Mapping[str, str] | None = None,
    workdir: str = "/",
    columns: int = 80,
    marks: Mapping[str, str] | None = None,
) -> SessionOrder:
    env = {"PATH": PATH} if environment is None else environment
    return SessionOrder(name, argv, env, workdir, columns=columns, rows=24, marks=marks or {})


class Reader:
    """A session whose program logs what it reads."""

    def __init__(self, terminal: Terminal, name: str, folder: Path, *, columns: int = 80) -> None:
        self.name = name
        self._terminal = terminal
        self._log = folder / f"{name}.log"
        self._log.touch()
        self._seen = 0
        script = str(Path(__file__).with_name("raw_reader.py"))
        terminal.create(order(name, sys.executable, "-S", script, str(self._log), columns=columns))
        eventually(lambda: "ready" in terminal.capture([name]).get(name, ""))

    def received(self, until: bytes) -> bytes:
        """All bytes since the last call, up to `until`, once they are there."""

        def arrived() -> bytes:
            data = self._log.read_bytes()[self._seen :]
            return data if data.endswith(until) else b""

        data = eventually(arrived, what=f"{until!r} at the reader")
        self._seen += len(data)
        return data

    def rest(self) -> bytes:
        """What has come since the last call, as it is."""
        return self._log.read_bytes()[self._seen :]
