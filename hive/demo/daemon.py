"""The demo's daemon: a process of its own, as in real use."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hive.app.places import Places
from hive.demo.world import DemoWorld, daemon_arguments
from hive.errors import HiveError, Unreachable
from hive.shells.isolation.cgroups import ControlGroups
from hive.shells.operator import SocketOperator
from hive.shells.tmux import TmuxTerminal

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR")


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class DemoDaemon:
    """Starts `hive run`, asks it, ends it and what it started."""

    def __init__(self, world: DemoWorld) -> None:
        self.world = world
        self.places = Places(world.state)
        self.operator = SocketOperator(self.places.operator_socket, timeout=5.0)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return os.fspath(self.world.folder / "hive.log")

    def start(self) -> None:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with open(self.log, "ab", opener=_privately) as log:
            self._process = subprocess.Popen(
                daemon_arguments(self.world),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def status(self) -> Mapping[str, Any] | None:
        """The status document; None while the daemon does not answer yet."""
        with contextlib.suppress(Unreachable):
            return self.operator.status()
        return None

    def last_words(self) -> str:
        """The last line that the daemon logged."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1].removeprefix("hive: ") if lines else "it said nothing"

    def kill(self) -> None:
        """End it at once, as a crash would. Agents stay."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def terminate(self) -> None:
        """Ask it to end, as an operator would. Agents stay."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def stop(self) -> None:
        """End the daemon, then its agents with all that they started, then their tmux server."""
        self.terminate()
        self._stop_agents()

    def _stop_agents(self) -> None:
        self._stop_sessions()
        groups = ControlGroups(self.places.state)
        for agent in groups.agents():
            with contextlib.suppress(OSError):
                groups.end(agent)
        groups.close()

    def _stop_sessions(self) -> None:
        if not self.places.tmux_socket.exists():
            return
        with contextlib.suppress(HiveError):
            terminal = TmuxTerminal(self.places.tmux_socket)
            names = [pane.name for pane in terminal.look()]
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(terminal.stop, names))
            terminal.close()
        subprocess.run(
            ["tmux", "-S", os.fspath(self.places.tmux_socket), "kill-server"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
        )
