"""A process and all below it: its processor time and its own share of memory, as the kernel counts them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hive.bench.daemon import cpu_of
from hive.shells.system.processes import children_of, descendants, process_table


@dataclass(frozen=True, slots=True)
class ProcessTree:
    """The pids of one look; what has ended since counts nothing."""

    pids: frozenset[int]

    @classmethod
    def of(cls, *roots: int) -> ProcessTree:
        children = children_of(process_table())
        return cls(frozenset(pid for root in roots for pid in descendants(root, children)))

    def without(self, pids: Iterable[int]) -> ProcessTree:
        return ProcessTree(self.pids - frozenset(pids))

    def processor_seconds(self) -> float:
        """Of all, with children that they have waited for not counted."""
        return sum(_processor_seconds(pid) for pid in self.pids)

    def memory(self) -> float:
        """MiB; what is shared with other processes in parts (PSS)."""
        return sum(_share(pid) for pid in self.pids) / 1024

    def commands(self) -> dict[int, tuple[str, ...]]:
        found = {}
        for pid in self.pids:
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
                found[pid] = tuple(word.decode(errors="replace") for word in words)
        return found


def _processor_seconds(pid: int) -> float:
    with suppress(OSError):
        return cpu_of(pid)
    return 0.0


def _share(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
