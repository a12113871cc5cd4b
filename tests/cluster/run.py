"""What one process started of the test cluster, and how all of it goes away again, whatever happens.

Each process of the cluster carries the run's folder in its environment (`MARK`), and children inherit it; the
processes in pods sit in cgroups under the run's name. So nothing has to be remembered by number, and no pid
that the kernel gave to somebody else meanwhile can be met. Mounts and network links live in the nodes' own
namespaces and end with their processes. The run's folder holds a lock, which the kernel frees when the owner
dies: from then on the run is dead, and whoever finds it (its guardian at once, the next run at the latest)
ends it.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from tests.cluster import leftovers
from tests.cluster.binaries import Binaries
from tests.cluster.file_lock import held, take
from tests.cluster.process import MARK, Process

_CHECKOUT = Path(__file__).parents[2]


def base() -> Path:
    """Where the runs of this user lie. Short, because the path of a Unix socket holds 107 bytes."""
    return Path(tempfile.gettempdir()) / f"hive-cluster-{os.getuid()}"


class Run:
    """Owns what it starts until `end()`, or until this process dies."""

    def __init__(self, binaries: Binaries) -> None:
        self.binaries = binaries
        base().mkdir(mode=0o700, exist_ok=True)
        reap()
        self.name = f"hive-{secrets.token_hex(3)}"
        self.folder = base() / self.name
        self._processes: list[Process] = []
        self.seconds_to_end = 0.0
        self._lock = threading.Lock()
        with held(base() / "runs.lock"):
            self.folder.mkdir(mode=0o700)
            self._held = take(self.folder / "lock")
        self._guardian = self._guard()

    def start(
        self, name: str, argv: list[str], *, log: Path, environment: dict[str, str] | None = None
    ) -> Process:
        """A child of this run; its output goes to `log`. It lives in a session of its own, so that a Ctrl-C
        for the tests does not kill it under their hands."""
        process = Process(name, argv, log=log, mark=str(self.folder), environment=environment or {})
        with self._lock:
            self._processes.append(process)
        return process

    def end(self) -> None:
        """Stop everything, put everything back. Does nothing the second time."""
        if self._held is None:
            return
        began = time.monotonic()
        leftovers.end(self.folder)
        for process in self._processes:
            process.buried()
        os.close(self._held)
        self._held = None
        assert self._guardian.stdin is not None
        self._guardian.stdin.close()
        self._guardian.wait(timeout=30)
        self.seconds_to_end = time.monotonic() - began

    def _guard(self) -> subprocess.Popen[bytes]:
        """A process that does nothing but wait for this one's end. It is what cleans up after a SIGKILL."""
        output: IO[bytes]
        with (self.folder / "guardian.log").open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.cluster.guardian", str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd=_CHECKOUT,
                start_new_session=True,
                env={key: value for key, value in os.environ.items() if key != MARK},
            )


def reap() -> list[str]:
    """End the runs whose owner is dead; their names."""
    if not base().is_dir():
        return []
    with held(base() / "runs.lock"):
        folders = sorted(path for path in base().glob("hive-*") if path.is_dir())
        return [folder.name for folder in folders if end_if_dead(folder)]


def end_if_dead(folder: Path) -> bool:
    """End the run in `folder` unless its owner lives."""
    return _end(folder, wait=False)


def end_when_dead(folder: Path) -> bool:
    """End the run in `folder` once its owner is dead.

    For a guardian, whose pipe may end before its owner's lock does: the kernel closes the files of a killed
    process one after the other, and not in the order of their numbers.
    """
    return _end(folder, wait=True)


def _end(folder: Path, *, wait: bool) -> bool:
    descriptor = None
    with suppress(FileNotFoundError):
        descriptor = take(folder / "lock", wait=wait, make=False)
    if descriptor is None:
        return False
    try:
        if not (folder / "lock").exists():
            return False  # somebody else ended it while the lock was waited for
        leftovers.end(folder)
    finally:
        os.close(descriptor)
    return True
