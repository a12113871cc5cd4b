"""A terminal with states: sessions, screens and marks in memory, and programs scripted by the test.

It keeps the contract of `tests/shells/test_terminal_contract.py`, as the real one does.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from hive.contracts.backend import Process
from hive.errors import Missing, Refused, WorldError
from hive.facts.agents import PaneSighting
from hive.ports.terminal import SessionOrder

PORT = "terminal"


class Program(Protocol):
    """What runs in a fake pane; it draws by `pane.show` and ends by `pane.exit`."""

    def start(self, pane: FakePane) -> None: ...

    def pasted(self, pane: FakePane, text: str) -> None: ...

    def pressed(self, pane: FakePane, key: str) -> None: ...


class Silent:
    """Takes everything and shows nothing: a program that hangs."""

    def start(self, pane: FakePane) -> None: ...

    def pasted(self, pane: FakePane, text: str) -> None: ...

    def pressed(self, pane: FakePane, key: str) -> None: ...


class Echo(Silent):
    """Shows what is pasted, and a new line for Enter, as `cat` does."""

    def __init__(self, banner: str = "") -> None:
        self.banner = banner

    def start(self, pane: FakePane) -> None:
        pane.show(self.banner)

    def pasted(self, pane: FakePane, text: str) -> None:
        pane.show(pane.screen + text)

    def pressed(self, pane: FakePane, key: str) -> None:
        pane.show(pane.screen + ("\n" if key == "Enter" else key))


class Exits(Silent):
    """Shows a text and ends at once."""

    def __init__(self, status: int = 0, *, signal: int | None = None, last_words: str = "") -> None:
        self.status = status
        self.signal = signal
        self.last_words = last_words

    def start(self, pane: FakePane) -> None:
        pane.show(self.last_words)
        pane.exit(self.status, signal=self.signal)


@dataclass
class FakePane:
    """One session. A test may read and change everything; changes through the methods wake watchers.

    Attributes:
        pasted: Texts in the order they came; `pressed`: keys likewise.
        processes: Below the pane's own process: what `FakeTerminal.tree` shows besides it.
    """

    order: SessionOrder
    pid: int
    created_at: datetime
    program: Program
    changed: Callable[[], None]
    screen: str = ""
    marks: dict[str, str] = field(default_factory=dict)
    dead: bool = False
    exit_status: int | None = None
    exit_signal: int | None = None
    activity: int = 0
    attached: int = 0
    quiet: timedelta = timedelta()
    typed_at: datetime | None = None
    typed_by: str = ""
    stopped: bool = False
    pasted: list[str] = field(default_factory=list)
    pressed: list[str] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)

    def show(self, screen: str) -> None:
        """Replace the whole screen."""
        self.screen = screen
        self.activity += 1
        self.changed()

    def exit(self, status: int = 0, *, signal: int | None = None) -> None:
        """End the program; the session stays."""
        self.dead = True
        self.exit_status = None if signal else status
        self.exit_signal = signal
        self.activity += 1
        self.changed()

    def sighting(self) -> PaneSighting:
        return PaneSighting(
            name=self.order.name,
            pid=self.pid,
            dead=self.dead,
            created_at=self.created_at,
            columns=self.order.columns,
            rows=self.order.rows,
            exit_status=self.exit_status,
            exit_signal=self.exit_signal,
            marks=dict(self.marks),
            activity=str(self.activity),
            attached=self.attached,
            identity=self.identity,
            quiet=self.quiet,
            typed_at=self.typed_at,
            typed_by=self.typed_by,
        )

    @property
    def identity(self) -> str:
        return f"${self.pid}"


class FakeTerminal:
    """`ports.terminal.Terminal`, and `ports.processes.Processes` of what runs in it.

    Attributes:
        panes: Sessions by name.
        failure: Raised by every call while set: `Unreachable` for a wedged tmux.
        calls: What was asked, in order: ``("paste", NAME)``.
        crash_before: Raised once, before the named call does anything; `crash_after` once it is done. They
            stand for a supervisor killed at that moment.
    """

    def __init__(
        self,
        program: Callable[[SessionOrder], Program] | None = None,
        *,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        """`program` chooses what a session runs (else `Echo`); `now` gives times of creation."""
        self.panes: dict[str, FakePane] = {}
        self.failure: WorldError | None = None
        self.calls: list[tuple[str, str]] = []
        self.crash_before: dict[str, BaseException] = {}
        self.crash_after: dict[str, BaseException] = {}
        self._program = program or (lambda _order: Echo())
        self._now = now or (lambda: datetime(2030, 1, 1, tzinfo=UTC))
        self._pids = itertools.count(100_001)
        self._pokes: list[Callable[[], None]] = []

    def look(self) -> tuple[PaneSighting, ...]:
        with self._call("look", ""):
            return tuple(pane.sighting() for pane in self.panes.values())

    def create(self, order: SessionOrder) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*", order.name):
            raise ValueError(order.name)
        if not order.argv or not order.argv[0]:
            raise ValueError(order.argv)
        with self._call("create", order.name):
            if order.name in self.panes:
                raise Refused(PORT, f"cannot start {order.name}: duplicate session: {order.name}")
            program = self._program(order)
            pane = FakePane(order, next(self._pids), self._now(), program, self._changed)
            pane.marks = {name: value for name, value in order.marks.items() if value}
            self.panes[order.name] = pane
            program.start(pane)
            self._changed()

    def stop(self, name: str, identity: str = "") -> None:
        with self._call("stop", name):
            pane = self.panes.get(name)
            if pane is not None and identity in ("", pane.identity):
                del self.panes[name]
                self._changed()

    def ending(self, name: str, identity: str = "") -> Callable[[], None]:
        with self._call("ending", name):
            pane = self.panes.get(name)

        def end() -> None:
            if pane is not None and identity in ("", pane.identity):
                self.end(pane)

        return end

    def end(self, pane: FakePane) -> None:
        """What ends a pane's processes; a test may have it take long."""
        if not pane.dead:
            pane.exit(signal=15)

    def paste(self, name: str, text: str, marks: Mapping[str, str]) -> None:
        if "\x1b" in text or "\0" in text:
            raise ValueError("a text with ESC or NUL must not be pasted: it could end the paste")
        with self._call("paste", name):
            pane = self._living(name)
            self._mark(pane, marks)
            if text:
                pane.pasted.append(text)
                pane.program.pasted(pane, text)

    def press(self, name: str, keys: Sequence[str], marks: Mapping[str, str]) -> None:
        with self._call("press", name):
            pane = self._living(name)
            self._mark(pane, marks)
            for key in keys:
                pane.pressed.append(key)
                pane.program.pressed(pane, key)

    def mark(self, name: str, marks: Mapping[str, str]) -> None:
        with self._call("mark", name):
            self._mark(self._pane(name), marks)

    def capture(self, names: Sequence[str], *, history: int = 0) -> Mapping[str, str]:
        with self._call("capture", ",".join(names)):
            return {name: self._visible(self.panes[name], history) for name in names if name in self.panes}

    def watch(self, poke: Callable[[], None]) -> None:
        self._pokes.append(poke)

    def close(self) -> None:
        self._pokes.clear()

    def kill_server(self) -> None:
        """All sessions are gone at once."""
        self.panes.clear()
        self._changed()

    def tree(self, roots: Sequence[int]) -> dict[int, tuple[Process, ...]]:
        """The pane's own process, then what the test put into `FakePane.processes`."""
        living = {pane.pid: pane for pane in self.panes.values() if not pane.dead}
        return {root: _processes(living[root]) if root in living else () for root in roots}

    @staticmethod
    def _visible(pane: FakePane, history: int) -> str:
        lines = pane.screen.split("\n")
        rows = pane.order.rows
        shown = lines[-(rows + history) :]
        return "\n".join(shown + [""] * (rows - len(shown)))

    def _pane(self, name: str) -> FakePane:
        if name not in self.panes:
            raise Missing(PORT, f"no session {name}")
        return self.panes[name]

    def _living(self, name: str) -> FakePane:
        pane = self._pane(name)
        if pane.dead:
            raise Refused(PORT, f"the program of {name} has ended")
        return pane

    @staticmethod
    def _mark(pane: FakePane, marks: Mapping[str, str]) -> None:
        pane.marks = {name: value for name, value in {**pane.marks, **marks}.items() if value}

    def _changed(self) -> None:
        for poke in list(self._pokes):
            poke()

    def _call(self, what: str, name: str) -> _Call:
        self.calls.append((what, name))
        return _Call(self, what)


class _Call:
    """Raises what the test ordered, around a call."""

    def __init__(self, terminal: FakeTerminal, what: str) -> None:
        self._terminal = terminal
        self._what = what

    def __enter__(self) -> None:
        if self._terminal.failure is not None:
            raise self._terminal.failure
        if crash := self._terminal.crash_before.pop(self._what, None):
            raise crash

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and (crash := self._terminal.crash_after.pop(self._what, None)):
            raise crash


def _processes(pane: FakePane) -> tuple[Process, ...]:
    own = Process(pane.pid, 1, pane.order.argv, stopped=pane.stopped)
    return (own, *_below(pane))


def _below(pane: FakePane) -> Iterator[Process]:
    yield from pane.processes
