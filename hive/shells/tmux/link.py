"""Keeps a control-mode connection to one server: makes it when needed and anew when it broke."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from hive.errors import Unreachable
from hive.shells.tmux.control import ControlConnection, NotSent
from hive.shells.tmux.host import Host
from hive.shells.tmux.language import CommandList
from hive.shells.tmux.replies import Reply

# A killed server takes a moment to be gone, and refuses newcomers meanwhile ("server exited unexpectedly").
_DYING = 0.5
_PAUSE = 0.02
# Between two attempts to connect over a way that does not stand, and after how long a silent one is given
# up at most: a server that hangs must not be given clients without end.
_LONGEST_PAUSE = 1.0
_LONGEST_SILENCE = 60.0
# Least bytes per second that count as an answer on its way.
_SLOWEST = 100_000


class ControlLink:
    """The way to a server, whether it runs or not. Thread-safe."""

    def __init__(
        self,
        host: Host,
        *,
        timeout: float,
        settings: Callable[[], Sequence[CommandList]],
        on_notice: Callable[[bytes], None],
        say: Callable[[str], None],
    ) -> None:
        """`settings` are sent first over every new connection; `on_notice` gets tmux's own lines from the
        reader's thread; `say` gets words for a log."""
        self._host = host
        self._timeout = timeout
        self._settings = settings
        self._on_notice = on_notice
        self._say = say
        self._connecting = threading.Lock()
        self._connection: ControlConnection | None = None
        self._prepared = False
        self._silence = host.silence

    def ask(
        self,
        questions: Sequence[CommandList],
        *,
        start: bool = False,
        again: bool = True,
        until: float | None = None,
    ) -> list[list[Reply]] | None:
        """The replies to each of `questions`; None where no server runs (`start` has one started).

        Raises `Unreachable` when a server does not answer in time (`until`, monotonic seconds, or the
        link's own timeout). Questions that do no harm when carried out twice are asked `again` when the
        connection breaks under them.
        """
        deadline = time.monotonic() + self._timeout if until is None else until
        size = sum(len(question.line) for question in questions)
        while True:
            connection = self._connected(start, deadline)
            if connection is None:
                return None
            try:
                replies = connection.ask(questions, self._patience(deadline, size))
            except Unreachable as error:
                if self._keeps(connection):
                    raise
                # With the server all its sessions are gone: nothing was done that still stands.
                if self._server_is_gone(deadline):
                    self._say("the tmux server is gone")
                    if not start:
                        return None
                elif not (again or isinstance(error, NotSent)) or time.monotonic() >= deadline:
                    raise
            else:
                self._silence = self._host.silence
                return replies

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
        pause = _PAUSE
        with self._connecting:
            while True:
                connection = None
                try:
                    connection = self._standing(start, deadline)
                    if connection is None or self._prepared:
                        return connection
                    self._prepare(connection, deadline)
                except Unreachable:
                    # A server that hangs keeps its one connection; one that was dying gets another try, and
                    # so does a way that broke.
                    lasting = self._host.silence is None if connection is None else self._keeps(connection)
                    if lasting or time.monotonic() + pause > deadline:
                        raise
                    time.sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE) if self._host.silence else pause
                else:
                    self._prepared = True

    def _prepare(self, connection: ControlConnection, deadline: float) -> None:
        def ask(lists: Sequence[CommandList]) -> list[list[Reply]]:
            return connection.ask(lists, self._patience(deadline))

        ask(self._settings())
        self._host.prepare(ask)

    def _patience(self, deadline: float, size: int = 0) -> float:
        """Seconds to wait for the answer to `size` bytes."""
        left = max(0.0, deadline - time.monotonic())
        return left if self._silence is None else min(left, self._silence + size / _SLOWEST)

    def _keeps(self, connection: ControlConnection) -> bool:
        """Whether a connection that owes an answer stays. Where streams break without a word it is given
        up, the next one after a longer wait."""
        if connection.alive and self._silence is not None:
            connection.give_up(f"no answer for {self._silence:.0f} s")
            self._silence = min(2 * self._silence, _LONGEST_SILENCE)
        return connection.alive

    def _standing(self, start: bool, deadline: float) -> ControlConnection | None:
        """The connection, a new one where there is none; None where no server runs."""
        if self._connection is not None and self._connection.alive:
            return self._connection
        if self._connection is not None:
            if self._prepared:
                self._say(f"connecting to tmux again: {self._connection.why}")
            self._connection.close()
            self._connection = None
        if not (start or self._host.runs()):
            return None
        self._prepared = False
        left = max(1.0, deadline - time.monotonic())
        self._connection = ControlConnection(self._host.open, self._on_notice, left)
        return self._connection

    def _server_is_gone(self, deadline: float) -> bool:
        if self._host.silence is not None:
            return False  # connecting anew will tell
        until = min(deadline, time.monotonic() + _DYING)
        while self._host.runs():
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE)
        return True
