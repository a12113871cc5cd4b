"""A cluster's nodes and pods, as its API server lists them, into what was observed in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hive.decisions.inventory.requests import effective_request, takes_room
from hive.decisions.inventory.shapes import NodeShape, PodShape, Quantities
from hive.decisions.placement.quantities import parse
from hive.facts.fleet import Amount, Node, Observation, Taint

UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
"""Taints of Kubernetes' own: what keeps pods off a node is said in its words."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a member answered.

    Attributes:
        version: Of its API server, ``v1.36.3``.
        capacity: Of all nodes together, by resource name.
    """

    observation: Observation
    version: str = ""
    capacity: Mapping[str, Amount] = field(default_factory=dict)


def look(
    cluster: str, at: datetime, nodes: Iterable[NodeShape], pods: Iterable[PodShape], version: str = ""
) -> Look:
    """What was seen in `cluster` at `at`. Raises `ValueError`, naming the object, for a bad quantity."""
    shapes = [node for node in nodes if node.metadata.deletion_timestamp is None]
    requested = _requested(pods)
    seen = [_node(shape, requested.get(shape.metadata.name, {})) for shape in shapes]
    capacity: dict[str, Amount] = {}
    for shape in shapes:
        for name, amount in _quantities(shape, shape.status.capacity).items():
            capacity[name] = capacity.get(name, 0) + amount
    nodes_seen = tuple(sorted(seen, key=lambda one: one.name))
    return Look(Observation(cluster, at, nodes_seen), version, capacity)


def _requested(pods: Iterable[PodShape]) -> dict[str, dict[str, Amount]]:
    """By node, by resource name."""
    total: dict[str, dict[str, Amount]] = {}
    for pod in pods:
        if not takes_room(pod):
            continue
        try:
            request = effective_request(pod)
        except ValueError as error:
            raise ValueError(f"pod {pod.metadata.namespace}/{pod.metadata.name}: {error}") from error
        on_node = total.setdefault(pod.spec.node_name, {})
        for name, amount in request.items():
            on_node[name] = on_node.get(name, 0) + amount
    return total


def _node(shape: NodeShape, requested: Mapping[str, Amount]) -> Node:
    return Node(
        name=shape.metadata.name,
        labels=shape.metadata.labels or {},
        taints=tuple(_taints(shape)),
        allocatable=_quantities(shape, shape.status.allocatable),
        requested=requested,
    )


def _quantities(shape: NodeShape, quantities: Quantities | None) -> dict[str, Amount]:
    try:
        return {name: parse(str(text)) for name, text in (quantities or {}).items()}
    except ValueError as error:
        raise ValueError(f"node {shape.metadata.name}: {error}") from error


def _taints(shape: NodeShape) -> Iterator[Taint]:
    """Its own, and those that Kubernetes' controllers have not come to put on it yet."""
    own = [Taint(each.key, each.value or "", each.effect) for each in shape.spec.taints or ()]
    yield from own
    there = {taint.key for taint in own}
    if shape.spec.unschedulable and UNSCHEDULABLE not in there:
        yield Taint(UNSCHEDULABLE, "", "NoSchedule")
    ready = next((each.status for each in shape.status.conditions or () if each.type == "Ready"), "Unknown")
    if ready != "True" and not there & {NOT_READY, UNREACHABLE}:
        yield Taint(NOT_READY if ready == "False" else UNREACHABLE, "", "NoSchedule")


def is_ready(node: Node) -> bool:
    """Whether nothing of Kubernetes' own keeps pods off `node`."""
    return not any(taint.key in (UNSCHEDULABLE, NOT_READY, UNREACHABLE) for taint in node.taints)


def totals(nodes: Iterable[Node]) -> tuple[dict[str, Amount], dict[str, Amount]]:
    """What the ready ones among `nodes` have together, and what of it is free, by resource name.

    More may be requested on a node than it has left; what is free is then nothing, not less.
    """
    whole: dict[str, Amount] = {}
    free: dict[str, Amount] = {}
    for node in nodes:
        if not is_ready(node):
            continue
        for name, amount in node.allocatable.items():
            whole[name] = whole.get(name, 0) + amount
            free[name] = free.get(name, 0) + max(amount - node.requested.get(name, 0), 0)
    return whole, free
