"""Ends a run from what is on the machine alone: its marked processes, its cgroups, its links, its settings.

Works from any process and any number of times, so the owner, its guardian and the next run all use it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.cluster import sysctls
from tests.cluster.process import MARK

CGROUPS = Path("/sys/fs/cgroup")
_PATIENCE = 30.0


def end(folder: Path) -> None:
    """Kill what belongs to the run in `folder`, remove its cgroups, links and files, restore the settings."""
    name = folder.name
    deadline = time.monotonic() + _PATIENCE
    while victims := {*marked(folder), *in_cgroups(name)} - {os.getpid()}:
        for pid in victims:
            _kill(pid, folder)
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes of {name} do not die: {sorted(victims)}")
        time.sleep(0.02)
    _remove_links(name)
    _remove_cgroups(name, deadline)
    sysctls.restore(folder)
    _remove_folder(folder)


def marked(folder: Path) -> set[int]:
    """Processes that carry the run's mark; not those that are dead and only not yet waited for."""
    return {pid for pid in _pids() if _is_marked(pid, folder)}


def in_cgroups(name: str) -> set[int]:
    """Processes in pods of the run."""
    found: set[int] = set()
    for root in cgroups(name):
        for folder, _, _ in os.walk(root):
            with suppress(OSError, ValueError):
                found |= {int(line) for line in (Path(folder) / "cgroup.procs").read_text().split()}
    return {pid for pid in found if pid and not _is_dead(pid)}


def cgroups(name: str) -> list[Path]:
    """The run's folder in each hierarchy of cgroups (one in version 2, a dozen in version 1)."""
    return [*CGROUPS.glob(name), *CGROUPS.glob(f"*/{name}")]


def _pids() -> Iterator[int]:
    return (int(entry) for entry in os.listdir("/proc") if entry.isdigit())


def _is_marked(pid: int, folder: Path) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False  # gone, or another user's, and so not of this run
    return f"{MARK}={folder}".encode() in environment.split(b"\0") and not _is_dead(pid)


def _is_dead(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


def _kill(pid: int, folder: Path) -> None:
    """Through a descriptor of the process, checked after it was opened: the number may have changed hands."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            if _is_marked(pid, folder) or pid in in_cgroups(folder.name):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def _remove_links(name: str) -> None:
    """Host ends of the nodes' links; the kernel takes its time to remove them with the node's namespace."""
    prefix = link_prefix(name)
    for link in sorted(os.listdir("/sys/class/net")):
        if link.startswith(prefix):
            subprocess.run(["ip", "link", "del", link], capture_output=True, check=False)


def link_prefix(name: str) -> str:
    """What the names of a run's network links begin with; a link's name holds 15 bytes."""
    return name.replace("hive-", "hv")


def _remove_cgroups(name: str, deadline: float) -> None:
    while roots := cgroups(name):
        for root in roots:
            for folder, _, _ in os.walk(root, topdown=False):
                with suppress(OSError):
                    os.rmdir(folder)
        if time.monotonic() > deadline:
            raise TimeoutError(f"cgroups of {name} stay busy: {[str(root) for root in roots]}")
        time.sleep(0.01)


def _remove_folder(folder: Path) -> None:
    """The lock goes last: while it is there, nobody takes the run's name for free."""
    for entry in sorted(folder.iterdir(), key=lambda path: path.name == "lock"):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    folder.rmdir()
