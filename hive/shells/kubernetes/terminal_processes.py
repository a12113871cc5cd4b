"""`ports.processes.Processes` of a pod."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive.contracts.backend import Process
from hive.errors import Unreachable, WorldError
from hive.shells.kubernetes.terminal_sight import RunScript, read_table
from hive.shells.system.processes import Entry, children_of, descendants
from hive.shells.tmux.control import PORT

_TABLE = "cat /proc/[0-9]*/stat"
# One line each: pid, then the words, each with its end; NUL and line ends are written as \1 and \2.
_COMMANDS = r"""
for pid in "$@"; do
    echo "$pid $(head -c 65536 /proc/"$pid"/cmdline | tr '\0\n' '\1\2')"
done
"""
_ASKED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Known:
    entry: Entry
    program: bytes
    argv: tuple[str, ...]


class PodProcesses:
    """Remembers command lines: only those of new processes and of new programs are read."""

    def __init__(self, run_script: RunScript, *, fresh: float = 1.0) -> None:
        """`run_script` is a `PodTerminal`'s. The table is read again only when it is older than `fresh`
        seconds or another root is asked for."""
        self._run = run_script
        self._fresh = fresh
        self._seen_at = float("-inf")
        self._roots: frozenset[int] = frozenset()
        self._known: dict[int, _Known] = {}
        self._trees: dict[int, tuple[Process, ...]] = {}

    def tree(self, roots: Sequence[int]) -> dict[int, tuple[Process, ...]]:
        """See the port. Raises `Unreachable`."""
        if not roots:
            return {}
        now = time.monotonic()
        if now - self._seen_at > self._fresh or not self._roots.issuperset(roots):
            try:
                self._trees = self._look(roots)
            except WorldError as error:
                raise Unreachable(PORT, error.message) from error
            self._seen_at, self._roots = now, frozenset(roots)
        return {root: self._trees.get(root, ()) for root in roots}

    def _look(self, roots: Sequence[int]) -> dict[int, tuple[Process, ...]]:
        seen = {pid: (entry, program) for pid, entry, program in read_table(self._run(_TABLE))}
        children = children_of({pid: entry for pid, (entry, _) in seen.items()})
        trees = {root: list(descendants(root, children)) if root in seen else [] for root in roots}
        wanted = {pid for pids in trees.values() for pid in pids}
        self._learn({pid: seen[pid] for pid in wanted})
        return {root: tuple(self._processes(pids, seen)) for root, pids in trees.items()}

    def _learn(self, wanted: Mapping[int, tuple[Entry, bytes]]) -> None:
        new = [pid for pid, (entry, program) in wanted.items() if not self._is_known(pid, entry, program)]
        read: dict[int, tuple[str, ...]] = {}
        for start in range(0, len(new), _ASKED_AT_ONCE):
            some = new[start : start + _ASKED_AT_ONCE]
            read |= dict(_command_lines(self._run(_COMMANDS, *map(str, some))))
        known = {pid: _Known(*wanted[pid], read[pid]) for pid in new if pid in read}
        self._known = known | {pid: self._known[pid] for pid in wanted if pid not in new}

    def _is_known(self, pid: int, entry: Entry, program: bytes) -> bool:
        known = self._known.get(pid)
        # Without a place of its arguments (another user's process) nothing tells when they change.
        is_told = bool(program) and not program.endswith(b" 0")
        return (
            is_told
            and known is not None
            and known.program == program
            and known.entry.started == entry.started
        )

    def _processes(self, pids: Sequence[int], seen: Mapping[int, tuple[Entry, bytes]]) -> Iterator[Process]:
        for pid in pids:
            if pid in self._known:
                entry = seen[pid][0]
                stopped = entry.state in (b"T", b"t")
                yield Process(pid, entry.parent, self._known[pid].argv, stopped, entry.cpu_s)


def _command_lines(output: bytes) -> Iterator[tuple[int, tuple[str, ...]]]:
    for line in output.split(b"\n"):
        pid, _, words = line.partition(b" ")
        if pid.isdigit():
            text = words.replace(b"\2", b"\n").removesuffix(b"\1")
            yield int(pid), tuple(os.fsdecode(word) for word in text.split(b"\1")) if text else ()
