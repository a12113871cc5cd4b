"""A hub and its members: as many control planes over one etcd, started side by side."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import kubeconfig
from tests.cluster.control_plane import ControlPlane
from tests.cluster.etcd import Etcd
from tests.cluster.run import Run


@dataclass(frozen=True)
class Fleet:
    """`kubeconfig` has one context for each cluster, named like it; the current one is the hub's."""

    hub: ControlPlane
    members: tuple[ControlPlane, ...]
    kubeconfig: Path

    @property
    def clusters(self) -> tuple[ControlPlane, ...]:
        return (self.hub, *self.members)

    def member(self, name: str) -> ControlPlane:
        return next(each for each in self.members if each.name == name)

    def stop(self) -> None:
        for cluster in self.clusters:
            cluster.stop()


def start(
    run: Run, etcd: Etcd, members: tuple[str, ...], *, hub: str = "hub", controllers: bool = False
) -> Fleet:
    """Start them all at once; returns when the last is ready.

    With `controllers` the members run kube-controller-manager (garbage collection, default service accounts).
    """
    with ThreadPoolExecutor(max_workers=1 + len(members)) as at_once:
        planes = tuple(at_once.map(lambda name: ControlPlane(run, name, etcd), (hub, *members)))
    if controllers:
        for member in planes[1:]:
            member.start_controllers()
    path = run.folder / f"{hub}.kubeconfig"
    kubeconfig.write(path, *(plane.context() for plane in planes))
    return Fleet(planes[0], planes[1:], path)
