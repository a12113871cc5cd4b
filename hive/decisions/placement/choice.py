"""The one best cluster, and the node in it, of those that fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hive.decisions.placement.demand import Demand
from hive.decisions.placement.fit import Standing
from hive.decisions.placement.rooms import ClusterRoom, NodeRoom, Rooms, fullness
from hive.facts.fleet import SandboxRequest, Strategy

Rank = tuple[int, ...]
"""Less is better. Equal ranks go by the name."""
Candidate = tuple[ClusterRoom, Standing]


def ranks(request: SandboxRequest, able: Sequence[Candidate], rooms: Rooms) -> dict[str, Rank]:
    """The rank of each cluster that fits, by name."""
    if request.strategy == Strategy.SPREAD:
        measures = _spread(request, able, rooms)
    else:
        measures = {
            room.cluster.name: (-standing.fullness[0], -standing.fullness[1]) for room, standing in able
        }
    return {
        room.cluster.name: (
            standing.soft,
            min(soft for soft, _ in standing.nodes),
            *measures[room.cluster.name],
        )
        for room, standing in able
    }


def best_node(request: SandboxRequest, demand: Demand, nodes: Iterable[tuple[int, NodeRoom]]) -> NodeRoom:
    """The fullest of `nodes`, or the emptiest where the request wants to be spread."""
    sign = 1 if request.strategy == Strategy.SPREAD else -1

    def rank(candidate: tuple[int, NodeRoom]) -> tuple[int, int, int, str]:
        soft, node = candidate
        gpu, rest = fullness([node], demand)
        return soft, sign * gpu, sign * rest, node.node.name

    return min(nodes, key=rank)[1]


def _spread(request: SandboxRequest, able: Sequence[Candidate], rooms: Rooms) -> Mapping[str, Rank]:
    """How many of the request's group run in each cluster's part of the fleet.

    A cluster without the label is in no part: it comes after all that have one.
    """
    placed = rooms.placed.get((request.namespace, request.template), {})
    key = request.topology_key
    if key is None:
        return {room.cluster.name: (0, placed.get(room.cluster.name, 0)) for room, _ in able}
    parts: dict[str | None, int] = {}
    for room in rooms.clusters:
        part = room.cluster.labels.get(key)
        parts[part] = parts.get(part, 0) + placed.get(room.cluster.name, 0)
    values = {room.cluster.name: room.cluster.labels.get(key) for room, _ in able}
    return {name: (int(value is None), parts[value]) for name, value in values.items()}
