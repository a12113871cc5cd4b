"""Keeps a control-mode connection to one server: makes it when needed and anew when it broke."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from hive.errors import Unreachable
from hive.shells.tmux.control import PORT, ControlConnection
from hive.shells.tmux.language import CommandList
from hive.shells.tmux.replies import Reply
from hive.shells.tmux.server import TmuxServer

# A killed server takes a moment to be gone, and refuses newcomers meanwhile ("server exited unexpectedly").
_DYING = 0.5
_PAUSE = 0.02


class ControlLink:
    """The way to a server, whether it runs or not. Thread-safe."""

    def __init__(
        self,
        server: TmuxServer,
        *,
        timeout: float,
        settings: Callable[[], Sequence[CommandList]],
        on_notice: Callable[[bytes], None],
        say: Callable[[str], None],
    ) -> None:
        """`settings` are sent first over every new connection; `on_notice` gets tmux's own lines from the
        reader's thread; `say` gets words for a log."""
        self._server = server
        self._timeout = timeout
        self._settings = settings
        self._on_notice = on_notice
        self._say = say
        self._connecting = threading.Lock()
        self._connection: ControlConnection | None = None

    def ask(self, questions: Sequence[CommandList], *, start: bool = False) -> list[list[Reply]] | None:
        """The replies to each of `questions`; None where no server runs (`start` has one started).

        Raises `Unreachable` when a server does not answer in time.
        """
        deadline = time.monotonic() + self._timeout
        while True:
            connection = self._connected(start, deadline)
            if connection is None:
                return None
            try:
                return connection.ask(questions, max(0.0, deadline - time.monotonic()))
            except Unreachable:
                # With the server all its sessions are gone: nothing was done that still stands.
                if not self._server_is_gone(deadline):
                    raise
                self._say("the tmux server is gone")
                if not start:
                    return None

    def connected(self) -> bool:
        """Whether a server runs; connects to it."""
        return self._connected(False, time.monotonic() + self._timeout) is not None

    def drop(self) -> None:
        """Give the connection up; the next question makes a new one."""
        with self._connecting:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def alive(self) -> bool:
        """Whether a connection stands."""
        return self._connection is not None and self._connection.alive

    def _connected(self, start: bool, deadline: float) -> ControlConnection | None:
        with self._connecting:
            if self._connection is not None and self._connection.alive:
                return self._connection
            if self._connection is not None:
                self._say(f"connecting to tmux again: {self._connection.why}")
                self._connection.close()
                self._connection = None
            while start or self._runs():
                connection = ControlConnection(
                    self._server.attach_argv(), self._server.environment, self._on_notice
                )
                try:
                    connection.ask(self._settings(), max(0.0, deadline - time.monotonic()))
                except Unreachable:
                    connection.close()
                    if time.monotonic() + _PAUSE > deadline:
                        raise
                    time.sleep(_PAUSE)
                    continue
                self._connection = connection
                return connection
            return None

    def _server_is_gone(self, deadline: float) -> bool:
        until = min(deadline, time.monotonic() + _DYING)
        while self._runs():
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
        return True

    def _runs(self) -> bool:
        try:
            return self._server.runs()
        except OSError as error:
            raise Unreachable(PORT, f"cannot reach {self._server.socket_path}: {error}") from error
