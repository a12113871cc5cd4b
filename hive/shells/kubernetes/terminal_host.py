"""A pod as the host of a tmux server.

A cut stream leaves more than silence behind: a control client in the pod, and words on their way to it
that tmux may still carry out. So the newest connection ends all clients before it, and is used only once
tmux has let go of them: from then on, what was asked before has happened or never will.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence

from hive.errors import Unreachable
from hive.ports.kubernetes import ExecStream
from hive.shells.kubernetes.terminal_channel import StreamChannel
from hive.shells.tmux.channel import Channel
from hive.shells.tmux.control import PORT
from hive.shells.tmux.host import Ask
from hive.shells.tmux.language import CommandList, commands
from hive.shells.tmux.replies import Reply
from hive.shells.tmux.server import CONTROL, options

OpenStream = Callable[[Sequence[str]], ExecStream]
"""Starts a command in the pod's container, without a terminal and with its stdin open. Raises `Missing` where
there is no such pod or it does not run, `Unreachable`."""

SOCKET = "/run/hive/tmux.sock"
"""Where the sandbox's first process has its tmux server listen."""

# A sandbox's own init starts the server, and a second one beside it must never be: -N. In other images hive
# starts it; it outlives the stream, and ends with the container. PATH goes into hive's own session, for what
# runs in it; the rest of the container's environment goes nowhere. Not every `sleep` knows infinity.
# Clients of earlier connections must be gone before the new one says hello: tmux 3.3a writes of a client's
# end to every control client, also to one that has not finished its hello, and crashes (one in fifty
# reconnects, measured). Those that ask here are no control clients.
_CONNECT = r"""
never= tries=0
case "$(tr '\0' ' ' </proc/1/cmdline)" in *hive-sandbox*) never=-N ;; esac
while pids=$(tmux -S "$1" list-clients -t "=$2:" -F '#{client_pid}' 2>/dev/null) && [ -n "$pids" ]; do
    kill -9 $pids 2>/dev/null
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { echo 'an earlier client does not end' >&2; exit 1; }
    sleep 0.02 2>/dev/null || sleep 1
done
exec env -i PATH="$PATH" LANG=C.UTF-8 TERM=dumb tmux $never -u -S "$1" -f /dev/null -C \
    new-session -A -e "PATH=$PATH" -s "$2" -x 80 -y 2 -- sleep 2147483647
"""
_OWNER = "@hive_owner"
_MINE = f"={CONTROL}:"
_BUFFER_PREFIX = "hive-"
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_PAUSE = 0.02


class PodHost:
    """`Host` of the tmux server in a pod.

    Attributes:
        taken_over: How often another hive had used the pod since this one's last connection.
    """

    ends_idle_server = False

    def __init__(self, open_stream: OpenStream, *, socket: str, silence: float, history_limit: int) -> None:
        self._open_stream = open_stream
        self._socket = socket
        self._history_limit = history_limit
        self._me = secrets.token_hex(8)
        self._was_owner = False
        self._buffers = itertools.count(1)
        self.silence: float | None = silence
        self.taken_over = 0

    def runs(self) -> bool:
        """Always: whoever connects starts one, or learns of the init that none runs yet."""
        return True

    def open(self) -> Channel:
        command = ("sh", "-c", _CONNECT, "hive", self._socket, CONTROL)
        return StreamChannel(self._open_stream(command))

    def settings(self) -> list[CommandList]:
        return options(self._history_limit, exit_empty=False)

    def prepare(self, ask: Ask) -> None:
        """See the port. Nothing of the container's environment stays for the programs of agents, and no
        buffer of an earlier connection."""
        self._end_others(ask)
        environment, buffers, owner = (
            replies[-1]
            for replies in ask(
                [
                    commands(("show-environment", "-g")),
                    commands(("list-buffers", "-F", "#{buffer_name}")),
                    commands(("show-options", "-qv", "-t", _MINE, _OWNER)),
                ]
            )
        )
        unset = [("set-environment", "-gu", name) for name in _variables(environment)]
        drop = [("delete-buffer", "-b", name) for name in _words(buffers) if name.startswith(_BUFFER_PREFIX)]
        own = ("set-option", "-t", _MINE, _OWNER, self._me)
        ask([commands(step) for step in (*unset, *drop, own)])
        # Without any owner it is a new server, and sessions of the old one are gone with it.
        if self._was_owner and _words(owner) not in ([self._me], []):
            self.taken_over += 1
        self._was_owner = True

    def _end_others(self, ask: Ask) -> None:
        look = [
            commands(("display-message", "-p", "#{client_pid}")),
            commands(("list-clients", "-t", _MINE, "-F", "#{client_pid}")),
        ]
        while True:
            own, clients = (replies[-1] for replies in ask(look))
            if not own.ok or not clients.ok or not (mine := _words(own)):
                raise Unreachable(PORT, "tmux does not say whom it serves")
            others = [pid for pid in _words(clients) if pid.isdigit() and pid not in mine]
            if not others:
                return
            ask([commands(("run-shell", f"kill -9 {' '.join(others)}; true"))])
            time.sleep(_PAUSE)

    @contextlib.contextmanager
    def holding(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Within the list of commands itself, which tmux carries out whole or not at all: a line that was
        cut is dropped. Control mode bounds no line (1 MB measured)."""
        buffer = self.buffer()
        yield buffer, ("set-buffer", "-b", buffer, "--", text)

    def buffer(self) -> str:
        """A name that no other buffer has."""
        return f"{_BUFFER_PREFIX}{self._me}-{next(self._buffers)}"


def _words(reply: Reply) -> list[str]:
    return reply.text.decode("utf-8", "replace").split() if reply.ok else []


def _variables(reply: Reply) -> list[str]:
    lines = reply.text.decode("utf-8", "replace").split("\n")
    return [match[1] for line in lines if (match := _VARIABLE.match(line))]
