"""A control group for each agent: its limits, and a hand on all of its processes at once.

Of the second version (cgroup.kill, memory.events) and of the first (one hierarchy for each controller, and
freeze, kill, thaw). Groups of one hive lie below one of its own, whose name comes from its state folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hive.facts.isolation import Limits

_WANTED = ("memory", "cpu", "pids")
_FIRST_VERSION = (*_WANTED, "freezer")
_PERIOD_US = 100_000
_PATIENCE_S, _PAUSE_S = 3.0, 0.01
_DAEMONS = "hive-supervisor"


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """Where groups can be made.

    Attributes:
        unified: Of the second version, with all controllers that are wanted.
        single: Folder by controller, of the first version.
    """

    unified: Path | None
    single: Mapping[str, Path]


class ControlGroups:
    """Of the agents of one hive. Looks for a place for them once; thread-safe after that."""

    def __init__(
        self, state: Path, *, root: Path = Path("/sys/fs/cgroup"), proc: Path = Path("/proc")
    ) -> None:
        self._name = f"hive-{hashlib.sha256(os.fsencode(state)).hexdigest()[:12]}"
        self._fault = ""
        try:
            self._where = _hierarchies(root, proc)
            self._try()
        except OSError as error:
            self._where = Hierarchies(None, {})
            self._fault = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)

    @property
    def fault(self) -> str:
        """Why there can be none; empty where there can."""
        return self._fault

    def _try(self) -> None:
        for folder in self._folders():
            folder.mkdir(exist_ok=True)
        if self._where.unified is not None:
            _enable(self._where.unified / self._name)

    def _folders(self, agent: str = "") -> list[Path]:
        """Of hive itself, or of one agent."""
        bases = [self._where.unified] if self._where.unified is not None else [*self._where.single.values()]
        return [base / self._name / agent for base in bases]

    def make(self, agent: str, limits: Limits) -> tuple[str, ...]:
        """Make the agent's group anew, and return the folders to join. Raises `OSError`."""
        if self._fault:
            return ()
        self.end(agent)
        self._try()  # an operator's check may have removed what was empty
        for folder in self._folders(agent):
            folder.mkdir(exist_ok=True)
        for path, value in self._limits(agent, limits):
            path.write_text(value)
        return tuple(str(folder) for folder in self._folders(agent))

    def _limits(self, agent: str, limits: Limits) -> Iterator[tuple[Path, str]]:
        unified, quota = self._where.unified, int((limits.cpus or 0) * _PERIOD_US)
        if unified is not None:
            group = unified / self._name / agent
            yield group / "pids.max", str(limits.processes)
            if limits.memory is not None:
                yield group / "memory.max", str(limits.memory)
            if quota:
                yield group / "cpu.max", f"{quota} {_PERIOD_US}"
            return
        groups = {name: base / self._name / agent for name, base in self._where.single.items()}
        yield groups["pids"] / "pids.max", str(limits.processes)
        if limits.memory is not None:
            yield groups["memory"] / "memory.limit_in_bytes", str(limits.memory)
        if quota:
            yield groups["cpu"] / "cpu.cfs_period_us", str(_PERIOD_US)
            yield groups["cpu"] / "cpu.cfs_quota_us", str(quota)

    def agents(self) -> frozenset[str]:
        """Those that have a group."""
        return frozenset(
            entry.name
            for folder in self._folders()
            if folder.is_dir()
            for entry in folder.iterdir()
            if entry.is_dir()
        )

    def of(self, agent: str) -> tuple[str, ...]:
        """Folders of the agent's group; none where it has no group."""
        return tuple(str(folder) for folder in self._folders(agent) if folder.is_dir())

    def out_of_memory(self, agent: str) -> int:
        """How many of the agent's processes the kernel ended for want of memory, since its group was made."""
        for folder in self._folders(agent):
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    return oom_kills((folder / name).read_text())
        return 0

    def end(self, agent: str) -> bool:
        """End every process of the agent's group, and the group; whether all are gone. Raises `OSError`."""
        folders = [folder for folder in self._folders(agent) if folder.is_dir()]
        until = time.monotonic() + _PATIENCE_S
        while sum(_kill(folder) for folder in folders):
            if time.monotonic() > until:
                return False
            time.sleep(_PAUSE_S)
        for folder in folders:
            _remove(folder)
        return True

    def close(self) -> None:
        """Remove hive's own group where no agent has one."""
        for folder in self._folders():
            with contextlib.suppress(OSError):
                folder.rmdir()


def oom_kills(text: str) -> int:
    """The count in the text of ``memory.events`` or ``memory.oom_control``."""
    for line in text.splitlines():
        name, _, count = line.partition(" ")
        if name == "oom_kill" and count.isdecimal():
            return int(count)
    return 0


def _kill(folder: Path) -> bool:
    """Send KILL to all in the group at once; whether there were any."""
    pids = _pids(folder)
    if not pids:
        return False
    whole = folder / "cgroup.kill"
    if whole.exists():
        whole.write_text("1")
        return True
    state = folder / "freezer.state"
    # Frozen first: a program that forks as fast as it is killed would get away.
    with contextlib.suppress(OSError):
        if state.exists():
            state.write_text("FROZEN")
    for pid in _pids(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        if state.exists():
            state.write_text("THAWED")
    return True


def _pids(folder: Path) -> list[int]:
    try:
        return [int(line) for line in (folder / "cgroup.procs").read_text().split()]
    except OSError:
        return []


def _remove(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as error:
        # A process that has just been killed may not be let go of yet: the next start finds the group.
        if error.errno not in (errno.EBUSY, errno.ENOENT):
            raise


def _hierarchies(root: Path, proc: Path) -> Hierarchies:
    """Raises `OSError` where no group can be made."""
    own = _own_groups(proc)
    if (root / "cgroup.controllers").is_file():
        base = _unified(root, own.get("", "/"))
        _enable(base)
        return Hierarchies(base, {})
    single = {}
    for name in _FIRST_VERSION:
        if not (root / name / "cgroup.procs").exists():
            raise FileNotFoundError(errno.ENOENT, "no such control group hierarchy", str(root / name))
        folder = root / name / own.get(name, "/").lstrip("/")
        single[name] = folder if folder.is_dir() else root / name
        if not os.access(single[name], os.W_OK) or os.statvfs(single[name]).f_flag & os.ST_RDONLY:
            raise PermissionError(errno.EACCES, "no group can be made", str(single[name]))
    return Hierarchies(None, single)


def _unified(root: Path, own: str) -> Path:
    """Where to begin: root's own groups stand beside all others, a user's below what was given to him."""
    folder = root if os.geteuid() == 0 else root / own.lstrip("/")
    if not os.access(folder / "cgroup.procs", os.W_OK) or os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise PermissionError(errno.EACCES, "no group can be made", str(folder))
    return folder


def _own_groups(proc: Path) -> dict[str, str]:
    """Path by controller, of the process that asks; of the second version under the empty name."""
    found: dict[str, str] = {}
    for line in (proc / "self" / "cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        found |= dict.fromkeys(names.split(","), path)
    return found


def _enable(group: Path) -> None:
    """Let groups below `group` have limits. Raises `OSError`."""
    wanted = " ".join(f"+{name}" for name in _WANTED)
    try:
        (group / "cgroup.subtree_control").write_text(wanted)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # Processes may be in the leaves alone, and those in this group are what hive was given it with.
        leaf = group / _DAEMONS
        leaf.mkdir(exist_ok=True)
        for pid in _pids(group):
            with contextlib.suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(str(pid))
        (group / "cgroup.subtree_control").write_text(wanted)
