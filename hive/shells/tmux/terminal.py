"""`TmuxTerminal`: hive's sessions in a tmux server of this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hive.errors import Refused
from hive.ports.terminal import SessionOrder
from hive.shells.tmux.controlled import ControlledTerminal, no_folder, not_started
from hive.shells.tmux.creation import creation
from hive.shells.tmux.here import ThisMachine
from hive.shells.tmux.server import TmuxServer
from hive.shells.tmux.stopping import ProcSight

if TYPE_CHECKING:
    import libtmux

__all__ = ["TmuxTerminal"]

_ENV = shutil.which("env") or "/usr/bin/env"


class TmuxTerminal(ControlledTerminal):
    """`ports.terminal.Terminal` on a tmux server of hive's own.

    Several may stand side by side, on one socket or on many. Thread-safe.
    """

    def __init__(
        self,
        socket_path: Path,
        *,
        timeout: float = 5.0,
        stop_grace: float = 1.0,
        history_limit: int = 5000,
        poke_interval: float = 0.1,
        program: str = "tmux",
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        """Nothing is started yet; a running server is adopted at the first call.

        Args:
            socket_path: Its folder is made, 0700.
            timeout: Seconds that any one call may wait for tmux.
            stop_grace: Seconds that `stop` leaves a program between TERM and KILL.
            history_limit: Lines kept above each screen: a bound on the server's memory.
            poke_interval: Least seconds between two pokes of `watch`.
            on_notice: Told, in words for a log, of what hive mended by itself.

        Raises `ConfigError` when tmux is missing or too old, or the path cannot hold a socket.
        """
        self._server = TmuxServer(socket_path, program=program, history_limit=history_limit)
        super().__init__(
            ThisMachine(self._server),
            ProcSight(),
            timeout=timeout,
            stop_grace=stop_grace,
            poke_interval=poke_interval,
            on_notice=on_notice,
        )

    def create(self, order: SessionOrder) -> None:
        for failure in self.create_all([order]).values():
            raise failure

    def create_all(self, orders: Sequence[SessionOrder]) -> dict[str, Refused]:
        """Start many sessions at once, each all or nothing; returns those that were refused, by name.

        Many cost a fifth less than one by one: tmux does not wait for the next question.
        """
        creations = {order.name: creation(order, _ENV) for order in orders}
        refused = {order.name: no_folder(order) for order in orders if not os.path.isdir(order.workdir)}
        asked = {name: one for name, one in creations.items() if name not in refused}
        replies = self._link.ask(list(asked.values()), start=True, again=False) or []
        for name, got in zip(asked, replies, strict=True):
            if not got[-1].ok:
                refused[name] = not_started(name, got[-1])
        return refused

    @property
    def structure(self) -> libtmux.Server:
        """The same server through libtmux, for look-ups by people's tools.

        Its lists are empty for a dead server and a failing one alike: never decide on emptiness.
        """
        import libtmux

        return libtmux.Server(socket_path=self._server.socket_path, config_file=os.devnull)

    def attach_argv(self, name: str) -> list[str]:
        """The command line by which a person attaches to session `name`."""
        return self._server.argv("attach-session", "-t", f"={name}")
