"""The books of one round: what is used on each node, while requests are served one after another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hive.decisions.placement.demand import PODS, Demand
from hive.facts.fleet import Amount, Cluster, Node

Needs = tuple[tuple[str, Amount], ...]


@dataclass(slots=True)
class NodeRoom:
    """One node and what is used on it, by what was seen there and by what this round put there."""

    node: Node
    used: dict[str, Amount]

    def lacking(self, needs: Needs) -> list[tuple[str, Amount, Amount]]:
        """Resources that do not suffice: name, what is wanted, what is free (at least nothing)."""
        return [
            (name, amount, max(self.free(name), 0))
            for name, amount in needs
            if (name != PODS or PODS in self.node.allocatable) and amount > self.free(name)
        ]

    def free(self, resource: str) -> Amount:
        return self.node.allocatable.get(resource, 0) - self.used.get(resource, 0)

    def take(self, needs: Iterable[tuple[str, Amount]]) -> None:
        for name, amount in needs:
            self.used[name] = self.used.get(name, 0) + amount


@dataclass(slots=True)
class ClusterRoom:
    """One cluster; `version` counts the changes to its books."""

    cluster: Cluster
    nodes: list[NodeRoom]
    version: int = 0

    def take(self, node: NodeRoom, needs: Iterable[tuple[str, Amount]]) -> None:
        node.take(needs)
        self.version += 1


@dataclass(slots=True)
class Rooms:
    """All clusters in order of their names, and how many of each group of requests run where."""

    clusters: list[ClusterRoom]
    placed: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    """By (namespace, template), then by cluster."""

    def count(self, group: tuple[str, str], cluster: str) -> None:
        counts = self.placed.setdefault(group, {})
        counts[cluster] = counts.get(cluster, 0) + 1


def rooms_of(clusters: Iterable[Cluster]) -> Rooms:
    return Rooms([_room(each) for each in sorted(clusters, key=lambda one: one.name)])


def fullness(nodes: Iterable[NodeRoom], demand: Demand) -> tuple[int, int]:
    """How full `nodes` are together: first in GPUs where they are wanted, then in all that is wanted.

    Each in millionths of a millionth, so that equal shares are equal numbers.
    """
    known = list(nodes)
    gpu = _share(known, demand.gpu.resource) if demand.gpu else 0
    named = {name for name, _ in demand.needs if name != PODS} | {"cpu", "memory"}
    return gpu, sum(_share(known, name) for name in sorted(named)) // len(named)


def _share(nodes: list[NodeRoom], resource: str) -> int:
    whole = sum(each.node.allocatable.get(resource, 0) for each in nodes)
    return sum(each.used.get(resource, 0) for each in nodes) * 10**12 // whole if whole > 0 else 0


def _room(cluster: Cluster) -> ClusterRoom:
    nodes = sorted(cluster.seen.nodes, key=lambda one: one.name) if cluster.seen else []
    return ClusterRoom(cluster, [NodeRoom(node, dict(node.requested)) for node in nodes])
