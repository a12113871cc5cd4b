"""What an operator's tools (command line, dashboard) ask of a running supervisor.

On the wire: one JSON object a line over a Unix socket, mode 0600. ``{"op": "status"}`` is answered by
``{"ok": true, …}`` or ``{"ok": false, "error": "…", "exit": 2}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Operator(Protocol):
    """Raises `Unreachable` when no supervisor answers, `Refused` with its words when it says no."""

    def status(self) -> Mapping[str, Any]:
        """The status document (`decisions.status.document`)."""
        ...

    def screen(self, agent: str) -> str:
        """The visible screen of an agent's terminal, with colour escapes."""
        ...

    def pause(self, agent: str, *, by: str, why: str) -> None: ...

    def resume(self, agent: str, *, by: str, why: str) -> None: ...

    def restart(self, agent: str, *, by: str, why: str) -> None: ...

    def send(self, agent: str, text: str, *, by: str) -> None: ...

    def answer(self, agent: str, option: str, *, by: str) -> str:
        """Take an option of the box on the agent's screen, by its number or text; returns its whole text.
        `Refused` where there is no box."""
        ...

    def attached(self, agent: str, *, by: str) -> None:
        """Note who opens the agent's terminal."""
        ...

    def set_level(self, level: int | None, *, scope: str, name: str, by: str, why: str) -> None:
        """`scope` is hive, repo or agent; None takes an earlier change back."""
        ...

    def close_incidents(self, ids: Sequence[str], *, by: str, why: str) -> None:
        """A person's word that incidents are dealt with, by id. `Refused` where one is open no longer."""
        ...

    def hold_merging(self, repo: str, *, hold: bool, by: str, why: str) -> None:
        """Have hive merge nothing in a repository, or merge again. `Refused` where it is so already."""
        ...

    def decide_finding(self, finding: str, *, accept: bool, by: str, why: str) -> None:
        """A person's word on a finding, by its id. `Refused` where there is an issue of it, or it is so."""
        ...

    def decide(self, hold: str, *, approve: bool, by: str, why: str) -> None:
        """A person's word on a held action, by its id. `Refused` where it is over."""
        ...

    def release_tree(self, task: str, *, by: str, why: str) -> None:
        """Have the kept working copy of a task removed; what only it has is kept in its agent's store.
        `Refused` where there is none, or it is not kept."""
        ...

    def prompt(self, subject: str) -> Mapping[str, Any]:
        """What an agent would get for a task, an issue or a pull request: agent, text and a remark.
        `Refused` with the reason where there is nothing."""
        ...

    def take_up(self, pull: str, *, by: str, why: str) -> None:
        """Have the agent of a pull request go on with it, as if nothing had been tried."""
        ...

    def look(self) -> None:
        """Wake the supervisor now."""
        ...
