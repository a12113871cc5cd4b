"""Random fleets, small enough that they are full, and a second opinion on what fits.

The oracle knows nothing of the engine: it counts as one would on paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from hive.facts.fleet import (
    UNIT,
    Cluster,
    Fleet,
    GpuNeed,
    LabelSelector,
    Node,
    Observation,
    Operator,
    RequestBinding,
    Requirement,
    SandboxRequest,
    Strategy,
    Taint,
    Toleration,
)
from tests.decisions.placement.good import GPU, MINUTE, NOW

_PRODUCT = "nvidia.com/gpu.product"
_NAMES = ("a", "b", "c", "d")

amounts = st.integers(0, 4).map(lambda each: each * UNIT)
resources = st.dictionaries(st.sampled_from(["cpu", "memory", GPU, "pods"]), amounts)
node_taints = st.lists(
    st.builds(
        Taint,
        st.sampled_from(["x", "y"]),
        st.sampled_from(["", "1"]),
        st.sampled_from(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    ),
    max_size=1,
).map(tuple)
cluster_taints = st.lists(
    st.builds(
        Taint,
        st.just("x"),
        st.sampled_from(["", "1"]),
        st.sampled_from(["NoSelect", "PreferNoSelect", "NoSelectIfNew"]),
    ),
    max_size=1,
).map(tuple)
tolerations = st.lists(
    st.builds(
        Toleration,
        st.sampled_from(["", "x"]),
        st.sampled_from(["Equal", "Exists"]),
        st.sampled_from(["", "1"]),
        st.sampled_from(["", "NoSchedule", "NoSelect"]),
    ),
    max_size=1,
).map(tuple)
labels = st.dictionaries(st.sampled_from(["env", "zone"]), st.sampled_from(["p", "q"]))


@st.composite
def nodes(draw: st.DrawFn) -> tuple[Node, ...]:
    found = []
    for name in _NAMES[: draw(st.integers(0, 3))]:
        room = draw(st.fixed_dictionaries({"cpu": amounts, "memory": amounts, GPU: amounts}))
        limit = draw(st.one_of(st.none(), st.integers(0, 3)))
        allocatable = room if limit is None else {**room, "pods": limit * UNIT}
        used = draw(resources)
        requested = {key: min(value, allocatable.get(key, value)) for key, value in used.items()}
        product = draw(st.sampled_from([{}, {_PRODUCT: "L4"}, {_PRODUCT: "A10", f"{GPU}.memory": "1024"}]))
        found.append(Node(name, product, draw(node_taints), allocatable, requested))
    return tuple(found)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[Cluster, ...]:
    found = []
    for name in draw(st.permutations(_NAMES[: draw(st.integers(0, 4))])):
        age = draw(st.sampled_from([MINUTE] * 6 + [6 * MINUTE, -2 * MINUTE]))
        found.append(
            Cluster(
                name,
                labels=draw(labels),
                taints=draw(cluster_taints),
                is_accepted=draw(st.sampled_from([True] * 6 + [False])),
                is_deleting=draw(st.sampled_from([False] * 6 + [True])),
                available=draw(st.sampled_from(["True"] * 6 + ["Unknown"])),
                seen=draw(st.sampled_from([Observation(name, NOW - age, draw(nodes()))] * 6 + [None])),
            )
        )
    return tuple(found)


requests = st.builds(
    SandboxRequest,
    namespace=st.sampled_from(["m", "n"]),
    name=st.just(""),
    template=st.sampled_from(["cpu", "gpu"]),
    resources=st.dictionaries(st.sampled_from(["cpu", "memory"]), amounts),
    gpu=st.one_of(
        st.none(),
        st.builds(
            GpuNeed,
            count=st.integers(1, 3),
            products=st.sampled_from([(), (), ("L4",), ("A10", "L4")]),
            memory=st.sampled_from([0, 0, 2**30 * UNIT, 2**31 * UNIT]),
        ),
    ),
    clusters=st.sampled_from(
        [
            LabelSelector(),
            LabelSelector(),
            LabelSelector((("env", "p"),)),
            LabelSelector((), (Requirement("env", Operator.NOT_IN, ("p",)),)),
        ]
    ),
    tolerations=tolerations,
    strategy=st.sampled_from(Strategy),
    topology_key=st.sampled_from([None, "zone"]),
)


@st.composite
def fleets(draw: st.DrawFn, *, most: int = 6) -> Fleet:
    found = draw(st.lists(requests, max_size=most))
    named = tuple(replace(each, name=f"r{place}") for place, each in enumerate(found))
    return Fleet(draw(clusters()), named)


def needs(request: SandboxRequest) -> dict[str, int]:
    wanted = dict(request.resources)
    if request.gpu is not None:
        wanted[request.gpu.resource] = request.gpu.count * UNIT
    return {**wanted, "pods": UNIT}


def fits_node(request: SandboxRequest, node: Node, used: Mapping[str, int]) -> bool:
    for resource, amount in needs(request).items():
        if resource == "pods" and "pods" not in node.allocatable:
            continue
        if amount > 0 and used.get(resource, 0) + amount > node.allocatable.get(resource, 0):
            return False
    return suits_node(request, node)


def suits_node(request: SandboxRequest, node: Node) -> bool:
    if request.gpu is not None:
        if request.gpu.products and node.labels.get(_PRODUCT) not in request.gpu.products:
            return False
        memory = int(node.labels.get(f"{GPU}.memory", "0")) * 2**20 * UNIT
        if request.gpu.memory > memory:
            return False
    hard = [taint for taint in node.taints if taint.effect in ("NoSchedule", "NoExecute")]
    return all(_is_tolerated(request, taint) for taint in hard)


def suits_cluster(request: SandboxRequest, cluster: Cluster, *, is_there: bool) -> bool:
    hard = {"NoSelect"} if is_there else {"NoSelect", "NoSelectIfNew"}
    return (
        cluster.is_accepted
        and not cluster.is_deleting
        and cluster.available == "True"
        and cluster.seen is not None
        and timedelta(minutes=-1) <= NOW - cluster.seen.at <= timedelta(minutes=5)
        and all(cluster.labels.get(key) == value for key, value in request.clusters.labels)
        and all(cluster.labels.get(each.key) not in each.values for each in request.clusters.expressions)
        and all(_is_tolerated(request, taint) for taint in cluster.taints if taint.effect in hard)
    )


def _is_tolerated(request: SandboxRequest, taint: Taint) -> bool:
    return any(
        each.effect in ("", taint.effect)
        and each.key in ("", taint.key)
        and (each.operator == "Exists" or each.value == taint.value)
        for each in request.tolerations
    )


def after(fleet: Fleet, where: Mapping[str, tuple[str, str]], *, counts_pods: bool) -> Fleet:
    """The fleet of the next round: what was placed is counted where it is, and has its Binding.

    Without `counts_pods`, nodes that did not count pods do not begin to.
    """
    seen = []
    for cluster in fleet.clusters:
        if cluster.seen is None:
            seen.append(cluster)
            continue
        changed = []
        for node in cluster.seen.nodes:
            total = dict(node.requested)
            for request in fleet.requests:
                if where.get(request.key) == (cluster.name, node.name):
                    for resource, amount in needs(request).items():
                        if resource != "pods" or counts_pods or "pods" in node.requested:
                            total[resource] = total.get(resource, 0) + amount
            changed.append(replace(node, requested=total))
        seen.append(replace(cluster, seen=replace(cluster.seen, nodes=tuple(changed))))
    last = tuple(
        RequestBinding(each.binding, frozenset({each.key}), frozenset({where[each.key][0]}))
        for each in fleet.requests
        if each.key in where
    )
    return replace(fleet, clusters=tuple(seen), last=last)
