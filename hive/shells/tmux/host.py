"""Where a tmux server runs: this machine or a pod. The one thing that differs between hive's terminals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from hive.shells.tmux.channel import Channel
from hive.shells.tmux.language import CommandList
from hive.shells.tmux.replies import Reply

Ask = Callable[[Sequence[CommandList]], list[list[Reply]]]
"""Sends all lists at once and returns the replies to each. Raises `Unreachable`."""


class Host(Protocol):
    """The machine of one tmux server, and the way to it.

    Attributes:
        ends_idle_server: Whether a server without any session of an agent is ended when hive lets go.
        silence: Seconds after which a connection that owes an answer is given up for a new one. None:
            never, since a client whose stream cannot break loses nothing by waiting.
    """

    @property
    def ends_idle_server(self) -> bool: ...

    @property
    def silence(self) -> float | None: ...

    def runs(self) -> bool:
        """Whether a server runs, or connecting starts one. Raises `Unreachable` where nothing tells."""
        ...

    def open(self) -> Channel:
        """Start a control client attached to hive's own session, and the server where none runs. Raises
        `WorldError`."""
        ...

    def settings(self) -> list[CommandList]:
        """What is sent first over every new connection; idempotent, failures do not matter."""
        ...

    def prepare(self, ask: Ask) -> None:
        """Whatever else must have happened before a new connection is used: above all, clients through
        which words of hive's could still arrive are gone for good when this returns."""
        ...

    def holding(self, text: str) -> AbstractContextManager[tuple[str, tuple[str, ...]]]:
        """The name of a buffer, and the command that fills it with `text`, good inside the context."""
        ...
