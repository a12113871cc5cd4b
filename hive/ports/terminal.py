"""Sessions in which agents run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hive.facts.agents import PaneSighting


@dataclass(frozen=True, slots=True)
class SessionOrder:
    """A session to create.

    Attributes:
        name: From `facts.agents.session_name`.
        argv: Started directly, never through a shell.
        environment: The whole environment of the program, but for what the terminal sets (TMUX, TERM).
        marks: Set in the same step as the session comes to be.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    workdir: str
    columns: int = 120
    rows: int = 40
    marks: Mapping[str, str] = field(default_factory=dict)


class Terminal(Protocol):
    """A terminal multiplexer of hive's own; sessions outlive hive.

    Every method raises `Unreachable` when the multiplexer does not answer, and `Missing` when the
    named session is not there (but `stop`, which is then content).
    """

    def look(self) -> tuple[PaneSighting, ...]:
        """All sessions of hive's server; empty when no server runs."""
        ...

    def create(self, order: SessionOrder) -> None:
        """Start a session. Raises `Refused` when one of that name exists."""
        ...

    def stop(self, name: str, identity: str = "") -> None:
        """End the session and its whole process tree. Idempotent. With an `identity`
        (`PaneSighting.identity`) only that very session: a stop that comes late ends no later one."""
        ...

    def ending(self, name: str, identity: str = "") -> Callable[[], None]:
        """The part of a `stop` that takes long: to be called from any thread, it ends the session's
        processes. Only `stop`, which is quick then, ends the session."""
        ...

    def paste(self, name: str, text: str, marks: Mapping[str, str]) -> None:
        """Put `text` into the program's input by bracketed paste, byte for byte, and set `marks` in the
        same step: either both happened or neither."""
        ...

    def press(self, name: str, keys: Sequence[str], marks: Mapping[str, str]) -> None:
        """Press keys (tmux key names) and set `marks` in the same step."""
        ...

    def mark(self, name: str, marks: Mapping[str, str]) -> None:
        """Set marks; an empty value takes the mark away."""
        ...

    def capture(self, names: Sequence[str], *, history: int = 0) -> Mapping[str, str]:
        """The visible screens (joined lines, colour escapes kept), with `history` lines above; sessions
        that are gone are left out."""
        ...

    def watch(self, poke: Callable[[], None]) -> None:
        """Call `poke` from another thread when a session ends or its content changes; carries no data."""
        ...

    def close(self) -> None:
        """Let go of the multiplexer; sessions stay."""
        ...
