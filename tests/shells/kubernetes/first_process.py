"""The first process of a sandbox, run on this machine: in a process namespace of its own where that goes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from hive import assets
from tests.shells.waiting import eventually

PROGRAM = "sandbox-templates/image/hive-sandbox"
_OWN_NAMESPACE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


@cache
def namespace() -> tuple[str, ...] | None:
    """What makes a program the first of its own processes; None where this user cannot."""
    for own in (_OWN_NAMESPACE, (*_OWN_NAMESPACE, "--map-root-user")):
        if (
            shutil.which(own[0])
            and subprocess.run([*own, "true"], capture_output=True, check=False).returncode == 0
        ):
            return own
    return None


class FirstProcess:
    """`hive-sandbox` with its folders below `folder`."""

    def __init__(self, folder: Path, *, shell: tuple[str, ...] = ("sh",), own: tuple[str, ...] = ()) -> None:
        self.home, self.run, self.tmp = (folder / name for name in ("pod-home", "pod-run", "pod-tmp"))
        for each in (self.home, self.run, self.tmp):
            each.mkdir()
        self.socket = self.run / "tmux.sock"
        self.path = "/usr/bin:/bin"
        self._command = (*own, *shell, str(assets.path(PROGRAM)))
        self._process: subprocess.Popen[str] | None = None

    def start(self, **more: str) -> None:
        environment = {
            "PATH": self.path,
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "HIVE_TMUX_SOCKET": str(self.socket),
            "KUBERNETES_SERVICE_HOST": "10.96.0.1",
            **more,
        }
        self._process = subprocess.Popen(
            self._command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def until_ready(self) -> None:
        eventually(self.socket.is_socket, what="the tmux server's socket")
        eventually(lambda: self.tmux("list-sessions").returncode == 0, what="the tmux server")

    def tmux(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ("tmux", "-S", str(self.socket), "-f", "/dev/null", *arguments)
        environment: Mapping[str, str] = {"PATH": "/usr/bin:/bin", "TERM": "dumb", "LANG": "C.UTF-8"}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=20, check=False
        )

    @property
    def pid(self) -> int:
        """Of the script itself."""
        assert self._process is not None
        if not self._command[0].endswith("unshare"):
            return self._process.pid
        (child,) = children(self._process.pid)
        return child

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def ended(self, within: float = 10) -> tuple[int, str]:
        """Exit status, and what it said."""
        assert self._process is not None
        _, said = self._process.communicate(timeout=within)
        return self._process.returncode, said

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.tmux("kill-server")
            self._process.kill()  # with a namespace of its own, all that is in it
            self._process.communicate(timeout=10)


def children(parent: int) -> list[int]:
    """Processes whose parent is `parent`, zombies too."""
    return [pid for pid, (above, _) in processes().items() if above == parent]


def processes() -> dict[int, tuple[int, str]]:
    """Parent and state by pid."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            found[int(entry.name)] = (int(after_name[1]), after_name[0])
    return found
