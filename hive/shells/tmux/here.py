"""This machine as the host of a tmux server."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator

from hive.errors import Unreachable
from hive.shells.system.processes import environment_of
from hive.shells.tmux.channel import Channel
from hive.shells.tmux.client import ClientProcess
from hive.shells.tmux.control import PORT
from hive.shells.tmux.host import Ask
from hive.shells.tmux.language import CommandList, commands, literal_format
from hive.shells.tmux.pasting import PasteFiles
from hive.shells.tmux.server import CONTROL, SUPERVISOR, TmuxServer

_PAUSE = 0.02
_LIST_CLIENTS = commands(("list-clients", "-t", f"={CONTROL}:", "-F", "#{client_pid}"))


class ThisMachine:
    """`Host` of a server behind a socket of this machine's."""

    ends_idle_server = True
    silence: float | None = None

    def __init__(self, server: TmuxServer) -> None:
        self._server = server
        self._files = PasteFiles(server.socket_path)

    def runs(self) -> bool:
        try:
            return self._server.runs()
        except OSError as error:
            raise Unreachable(PORT, f"cannot reach {self._server.socket_path}: {error}") from error

    def open(self) -> Channel:
        return ClientProcess(self._server.attach_argv(), self._server.environment)

    def settings(self) -> list[CommandList]:
        return [*self._server.settings(), *self._files.remove_left_behind()]

    def prepare(self, ask: Ask) -> None:
        """End control clients of dead supervisors, and wait until the server has let go of them.

        A supervisor killed in the middle of a paste may have left words in its client's pipe. Were they
        carried out after the first look of the next supervisor, a prompt could be given twice.
        """
        while True:
            reply = ask([_LIST_CLIENTS])[0][-1]
            orphans = [int(pid) for pid in reply.text.split() if _is_orphan(int(pid))] if reply.ok else []
            if not orphans:
                return
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_PAUSE)

    @contextlib.contextmanager
    def holding(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        with self._files.holding(text) as (buffer, path):
            yield buffer, ("load-buffer", "-b", buffer, literal_format(str(path)))


def _is_orphan(client: int) -> bool:
    """Whether nobody speaks through this client any more (it may itself be gone, but not yet let go)."""
    if not os.path.exists(f"/proc/{client}"):
        return True
    prefix = f"{SUPERVISOR}=".encode()
    owners = [word for word in environment_of(client) if word.startswith(prefix)]
    return any(not os.path.exists(f"/proc/{os.fsdecode(word[len(prefix) :])}") for word in owners)
