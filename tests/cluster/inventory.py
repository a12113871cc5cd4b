"""What a run has on the machine, and what the machine has besides: for comparing before and after."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import leftovers, sysctls

_RUN = re.compile(r"hive-[0-9a-f]{6}|hv[0-9a-f]{6}")


@dataclass(frozen=True)
class Inventory:
    """Everything a node touches. Another run's things, which come and go by themselves, are left out."""

    processes: frozenset[str]
    mounts: frozenset[str]
    network_namespaces: frozenset[str]
    links: frozenset[str]
    routes: frozenset[str]
    cgroups: frozenset[str]
    sysctls: tuple[str, ...]
    folders: frozenset[str]


def take(run: str | None, base: Path) -> Inventory:
    """The machine's inventory now, with what belongs to `run`, or with no run's at all."""

    def ours(text: str) -> bool:
        found = {name.replace("hive-", "hv") for name in _RUN.findall(text)}
        return not found or (run is not None and run.replace("hive-", "hv") in found)

    marked = leftovers.marked(base / run) | leftovers.in_cgroups(run) if run else set()
    return Inventory(
        processes=frozenset(f"{pid} {_name(pid)}" for pid in marked),
        mounts=frozenset(filter(ours, Path("/proc/self/mounts").read_text().splitlines())),
        network_namespaces=frozenset(_namespace(pid) for pid in marked) - {_namespace(os.getpid()), ""},
        links=frozenset(filter(ours, os.listdir("/sys/class/net"))),
        routes=frozenset(filter(ours, _routes())),
        cgroups=frozenset(
            str(path) for path in leftovers.CGROUPS.glob("*") if path.is_dir() and ours(path.name)
        )
        | frozenset(str(path) for path in leftovers.CGROUPS.glob("*/*") if path.is_dir() and ours(path.name)),
        sysctls=tuple(sysctls.path(name).read_text() for name in sysctls.CHANGED),
        folders=frozenset(str(path) for path in base.glob("hive-*") if ours(path.name)),
    )


def _routes() -> list[str]:
    return [line.split()[0] for line in Path("/proc/net/route").read_text().splitlines()[1:]]


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return "?"


def _namespace(pid: int) -> str:
    with suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/net")
    return ""
