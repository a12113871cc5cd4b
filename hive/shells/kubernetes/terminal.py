"""`PodTerminal`: the sessions of an agent in a pod, over one long-lived exec stream.

tmux runs in the pod, so an agent outlives hive, the network and the stream. What must not happen twice (a
start, a paste, keys) leaves a mark of its own in the same step; after a break of the stream the new
connection first makes sure that nothing of the old one can still arrive, and then the mark tells whether
it has happened.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from hive.errors import InDoubt, Missing, Unreachable, WorldError
from hive.facts.agents import PaneSighting
from hive.ports.terminal import SessionOrder
from hive.shells.kubernetes.terminal_host import SOCKET, OpenStream, PodHost
from hive.shells.kubernetes.terminal_scripts import read_output, script
from hive.shells.kubernetes.terminal_sight import PodSight
from hive.shells.tmux.control import PORT, NotSent
from hive.shells.tmux.controlled import ControlledTerminal, Once, no_folder, not_started
from hive.shells.tmux.creation import creation
from hive.shells.tmux.language import CommandList, commands, session_target
from hive.shells.tmux.replies import Reply

# On the session: the last thing done to it that must not be done twice.
_STEP = "@hive_step"
_DONE = Reply(True, b"", 0)
_ENV = "/usr/bin/env"


class PodTerminal(ControlledTerminal):
    """`ports.terminal.Terminal` on the tmux server of one pod. Thread-safe.

    One at a time speaks to a pod: a second one takes over, and the first, when it is used again, takes
    over in turn. A pod that is gone is `Unreachable` to who looks, and `Missing` to who names a session;
    `stop` is content.
    """

    def __init__(
        self,
        open_stream: OpenStream,
        *,
        socket: str = SOCKET,
        timeout: float = 8.0,
        silence: float = 3.0,
        stop_grace: float = 1.0,
        history_limit: int = 5000,
        poke_interval: float = 0.1,
        on_notice: Callable[[str], None] | None = None,
    ) -> None:
        """Nothing is sent before the first call.

        Args:
            open_stream: Asked at every connect; it may find the pod anew.
            socket: Of the tmux server in the pod.
            timeout: Seconds that any one call may take, reconnecting included; `stop` may take as long
                again and `stop_grace` more.
            silence: Seconds after which a stream that owes an answer is taken for broken; longer and
                longer while no new one answers either.

        For the rest see `TmuxTerminal`.
        """
        self._pod = PodHost(open_stream, socket=socket, silence=silence, history_limit=history_limit)
        self._socket = socket
        self._steps = threading.RLock()
        super().__init__(
            self._pod,
            PodSight(self.run_script),
            timeout=timeout,
            stop_grace=stop_grace,
            poke_interval=poke_interval,
            on_notice=on_notice,
        )

    def look(self) -> tuple[PaneSighting, ...]:
        """See the port. An empty answer was given by the pod's own tmux server."""
        with _out_of_sight():
            return super().look()

    def capture(self, names: Sequence[str], *, history: int = 0) -> Mapping[str, str]:
        with _out_of_sight():
            return super().capture(names, history=history)

    def create(self, order: SessionOrder) -> None:
        creation(order, _ENV)  # an order that cannot be is the caller's error, whatever the pod's state
        until = time.monotonic() + self._timeout
        try:
            if self._output(until, '[ -d "$1" ] && echo yes', order.workdir) != b"yes\n":
                raise no_folder(order)
            reply = self._once(order.name, lambda also: creation(order, _ENV, also), until)
        except Missing as error:
            raise Unreachable(PORT, error.message) from error
        if reply is None or not reply.ok:
            raise not_started(order.name, reply or Reply(False, b"", 0))

    def stop(self, name: str, identity: str = "") -> None:
        try:
            super().stop(name, identity)
        except Missing:
            return
        except ValueError as error:
            raise _not_tmux(error) from error

    def _is_worth_asking(self) -> bool:
        """Watching connects to no pod: the first look does."""
        return self._link.alive

    def attach_command(self, name: str) -> list[str]:
        """Run in the pod with a terminal: how a person attaches to session `name`."""
        return ["tmux", "-u", "-S", self._socket, "attach-session", "-t", f"={name}"]

    def run_script(self, text: str, *words: str) -> bytes:
        """What POSIX shell commands `text` print when the pod's tmux runs them, `words` being ``$1`` and
        so on. They may be run twice, must end soon, and fail without a word. Raises `Unreachable`,
        `Missing` where the pod is gone."""
        return self._output(None, text, *words)

    def _output(self, until: float | None, text: str, *words: str) -> bytes:
        buffer = self._pod.buffer()
        asked = script(text, words, buffer=buffer, socket=self._socket)
        replies = self._link.ask([asked], until=until)
        assert replies is not None
        return read_output(replies[0])

    def _once(self, name: str, question: Once, until: float | None = None) -> Reply | None:
        """Ask until the step's mark shows that it was done, or its time is over: then it is in doubt."""
        step = secrets.token_hex(8)
        asked = question([("set-option", "-t", session_target(name), _STEP, step)])
        until = until or time.monotonic() + self._timeout
        with self._steps:
            while True:
                taken_over = self._pod.taken_over
                reply = self._try(asked, until)
                if reply is not None:
                    return reply
                if self._was_done(name, step, until):
                    return _DONE
                if self._pod.taken_over != taken_over:
                    raise InDoubt(PORT, f"{name}: another hive has used its pod meanwhile")

    def _try(self, asked: CommandList, until: float) -> Reply | None:
        """The last reply to `asked`; None where the stream broke, and it may or may not have arrived."""
        try:
            replies = self._link.ask([asked], again=False, until=until)
        except Unreachable as error:
            if isinstance(error, NotSent) or time.monotonic() >= until:
                raise
            return None
        assert replies is not None
        return replies[0][-1]

    def _was_done(self, name: str, step: str, until: float) -> bool:
        question = commands(("show-options", "-qv", "-t", session_target(name), _STEP))
        replies = self._link.ask([question], until=until)
        assert replies is not None
        reply = replies[0][-1]
        return reply.ok and reply.text == step.encode()


@contextlib.contextmanager
def _out_of_sight() -> Iterator[None]:
    """To who looks, a pod that is gone, refuses or talks nonsense is one that cannot be seen: what it holds
    is unknown."""
    try:
        yield
    except Unreachable:
        raise
    except WorldError as error:
        raise Unreachable(PORT, error.message) from error
    except (ValueError, OverflowError, OSError) as error:
        raise _not_tmux(error) from error


def _not_tmux(error: Exception) -> Unreachable:
    return Unreachable(PORT, f"not the answer of a tmux server: {error}")
