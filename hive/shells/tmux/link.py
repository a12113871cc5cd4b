"""Keeps a control-mode connection to one server: makes it when needed and anew when it broke."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence

from hive.errors import Unreachable
from hive.shells.system.processes import environment_of
from hive.shells.tmux.control import PORT, ControlConnection, NotSent
from hive.shells.tmux.language import CommandList, commands
from hive.shells.tmux.replies import Reply
from hive.shells.tmux.server import CONTROL, SUPERVISOR, TmuxServer

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
        self._prepared = False

    def ask(
        self, questions: Sequence[CommandList], *, start: bool = False, again: bool = True
    ) -> list[list[Reply]] | None:
        """The replies to each of `questions`; None where no server runs (`start` has one started).

        Raises `Unreachable` when a server does not answer in time. Questions that do no harm when carried
        out twice are asked `again` when the connection breaks under them.
        """
        deadline = time.monotonic() + self._timeout
        while True:
            connection = self._connected(start, deadline)
            if connection is None:
                return None
            try:
                return connection.ask(questions, max(0.0, deadline - time.monotonic()))
            except Unreachable as error:
                if connection.alive:
                    raise
                # With the server all its sessions are gone: nothing was done that still stands.
                if self._server_is_gone(deadline):
                    self._say("the tmux server is gone")
                    if not start:
                        return None
                elif not (again or isinstance(error, NotSent)) or time.monotonic() >= deadline:
                    raise

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
            while True:
                connection = self._standing(start)
                if connection is None or self._prepared:
                    return connection
                try:
                    connection.ask(self._settings(), max(0.0, deadline - time.monotonic()))
                    _end_orphans(connection, deadline)
                except Unreachable:
                    # A server that hangs keeps its one connection; one that was dying gets another try.
                    if connection.alive or time.monotonic() + _PAUSE > deadline:
                        raise
                    time.sleep(_PAUSE)
                else:
                    self._prepared = True

    def _standing(self, start: bool) -> ControlConnection | None:
        """The connection, a new one where there is none; None where no server runs."""
        if self._connection is not None and self._connection.alive:
            return self._connection
        if self._connection is not None:
            if self._prepared:
                self._say(f"connecting to tmux again: {self._connection.why}")
            self._connection.close()
            self._connection = None
        if not (start or self._runs()):
            return None
        self._prepared = False
        argv, environment = self._server.attach_argv(), self._server.environment
        self._connection = ControlConnection(argv, environment, self._on_notice)
        return self._connection

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


_LIST_CLIENTS = commands(("list-clients", "-t", f"={CONTROL}:", "-F", "#{client_pid}"))


def _end_orphans(connection: ControlConnection, deadline: float) -> None:
    """End control clients of dead supervisors, and wait until the server has let go of them.

    A supervisor killed in the middle of a paste may have left words in its client's pipe. Were they carried
    out after the first look of the next supervisor, a prompt could be given twice.
    """
    while True:
        reply = connection.ask([_LIST_CLIENTS], max(0.0, deadline - time.monotonic()))[0][-1]
        orphans = [int(pid) for pid in reply.text.split() if _is_orphan(int(pid))] if reply.ok else []
        if not orphans:
            return
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def _is_orphan(client: int) -> bool:
    """Whether nobody speaks through this client any more (it may itself be gone, but not yet let go)."""
    if not os.path.exists(f"/proc/{client}"):
        return True
    prefix = f"{SUPERVISOR}=".encode()
    owners = [word for word in environment_of(client) if word.startswith(prefix)]
    return any(not os.path.exists(f"/proc/{os.fsdecode(word[len(prefix) :])}") for word in owners)
