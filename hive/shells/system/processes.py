"""The process table, read from /proc directly: a look at 600 processes takes a few milliseconds."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hive.contracts.backend import Process
from hive.shells.isolation.place import is_launcher

_GONE = (b"Z", b"X")
_TICKS = 100
"""In a second, to every program that is not the kernel (USER_HZ, proc(5))."""


class Entry(NamedTuple):
    """One line of the table; `started` (clock ticks since boot) tells two processes with one pid apart.

    Attributes:
        state: One letter, see proc(5).
        session: Pid of the session's leader.
        cpu_s: Seconds that it, and its children that have ended, have used.
    """

    state: bytes
    parent: int
    session: int
    started: int
    cpu_s: float = 0.0


def process_table() -> dict[int, Entry]:
    """All processes of this machine but zombies."""
    table = {}
    for name in os.listdir("/proc"):
        if name[0] not in "123456789" or (stat := _read(f"/proc/{name}/stat")) is None:
            continue
        # The name in parentheses may itself hold spaces and parentheses.
        fields = stat[stat.rfind(b")") + 2 :].split(b" ", 20)
        if len(fields) > 19 and fields[0] not in _GONE:
            table[int(name)] = Entry(
                fields[0], int(fields[1]), int(fields[3]), int(fields[19]), cpu_seconds(fields[11:15])
            )
    return table


def cpu_seconds(fields: Sequence[bytes]) -> float:
    """Of utime, stime, cutime and cstime in /proc/PID/stat: ticks, which Linux shows as hundredths."""
    return sum(map(int, fields)) / _TICKS


def children_of(table: Mapping[int, Entry]) -> dict[int, list[int]]:
    """Children of each parent in `table`."""
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    return children


def descendants(root: int, children: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """`root` and all below it, parents first."""
    waiting = [root]
    seen = set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        yield pid
        waiting.extend(reversed(children.get(pid, ())))


def environment_of(pid: int) -> frozenset[bytes]:
    """``NAME=VALUE`` entries a process was started with; empty where it is gone or another user's."""
    return frozenset((_read(f"/proc/{pid}/environ") or b"").split(b"\0"))


class ProcProcesses:
    """`ports.processes.Processes` on Linux."""

    def tree(self, roots: Sequence[int]) -> dict[int, tuple[Process, ...]]:
        """See the port. Only descendants' command lines are read."""
        table = process_table()
        children = children_of(table)
        return {root: tuple(_processes(root, table, children)) if root in table else () for root in roots}


def _processes(
    root: int, table: Mapping[int, Entry], children: Mapping[int, Sequence[int]]
) -> Iterator[Process]:
    for pid in descendants(root, children):
        cmdline = _read(f"/proc/{pid}/cmdline")
        if cmdline is None:
            continue
        argv = (
            tuple(os.fsdecode(word) for word in cmdline.removesuffix(b"\0").split(b"\0")) if cmdline else ()
        )
        if is_launcher(argv):
            continue
        entry = table[pid]
        yield Process(pid, entry.parent, argv, stopped=entry.state in (b"T", b"t"), cpu_s=entry.cpu_s)


def _read(path: str) -> bytes | None:
    """The whole file, or None where the process is gone or not ours to read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        data = os.read(handle, 1 << 16)
        if len(data) < 1 << 12:
            return data
        # A long command line comes in pieces of a page.
        while more := os.read(handle, 1 << 16):
            data += more
    except OSError:
        return None
    else:
        return data
    finally:
        os.close(handle)


def boot_id() -> str:
    """Of this run of the machine's kernel; empty where nothing tells."""
    return (_read("/proc/sys/kernel/random/boot_id") or b"").decode("ascii", "replace").strip()
