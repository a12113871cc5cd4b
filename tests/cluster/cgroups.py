"""A node's own root among the cgroups, so that two kubelets do not clean up each other's pods."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tests.cluster.leftovers import CGROUPS


def make(path: str) -> str:
    """Make `path` (such as `hive-1a2b3c/node`) in every hierarchy; the name by which a kubelet knows it."""
    if (CGROUPS / "cgroup.controllers").exists():
        _make_unified(path)
    else:
        for hierarchy in sorted(each for each in CGROUPS.iterdir() if (each / "cgroup.procs").exists()):
            if not hierarchy.is_symlink():
                _make_legacy(hierarchy, path)
    return f"/{path}"


def _make_unified(path: str) -> None:
    """Version 2: what a parent does not delegate, its children cannot limit."""
    parent = CGROUPS
    for part in path.split("/"):
        _delegate(parent)
        parent /= part
        parent.mkdir(exist_ok=True)
    _delegate(parent)


def _delegate(folder: Path) -> None:
    for controller in (folder / "cgroup.controllers").read_text().split():
        with suppress(OSError):  # one that cannot be delegated here is missing in the kubelet's own message
            (folder / "cgroup.subtree_control").write_text(f"+{controller}")


def _make_legacy(hierarchy: Path, path: str) -> None:
    """Version 1: a new cpuset has neither a processor nor memory until it is given some."""
    parent = hierarchy
    for part in path.split("/"):
        folder = parent / part
        folder.mkdir(exist_ok=True)
        for name in ("cpuset.cpus", "cpuset.mems"):
            if (parent / name).exists():
                (folder / name).write_text((parent / name).read_text())
        parent = folder
