"""One program of the cluster: started, watched, stopped, held still."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

MARK = "HIVE_CLUSTER_RUN"
"""Environment variable that names the folder of the run that a process belongs to."""


class Process:
    """A child in a session of its own, whose output goes to the end of `log`."""

    def __init__(
        self, name: str, argv: list[str], *, log: Path, mark: str, environment: Mapping[str, str]
    ) -> None:
        self.name = name
        self.log = log
        self._waiting = threading.Lock()
        inherited = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "TMPDIR")}
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**inherited, **environment, MARK: mark},
                cwd="/",
            )

    @property
    def pid(self) -> int:
        return self._child.pid

    def is_alive(self) -> bool:
        with self._waiting:
            return self._child.poll() is None

    def stop(self, patience: float = 10.0) -> None:
        """SIGTERM, and SIGKILL after `patience` seconds; returns when it has ended."""
        self._signal(signal.SIGCONT)
        self._signal(signal.SIGTERM)
        end = time.monotonic() + patience
        while self.is_alive() and time.monotonic() < end:
            time.sleep(0.02)
        self.kill()

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        self.buried()

    def pause(self) -> None:
        """Hold it still: its connections stay open and nothing answers, as when a machine hangs."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def buried(self) -> None:
        """Wait for the end of a process that was told to end."""
        while self.is_alive():
            time.sleep(0.005)

    def tail(self, lines: int = 8) -> str:
        with suppress(OSError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        return ""

    def _signal(self, number: signal.Signals) -> None:
        # Under the same lock as poll(): a pid that was waited for may be somebody else's.
        with self._waiting:
            if self._child.poll() is None:
                self._child.send_signal(number)
