"""Whether a demand fits a cluster now, with every reason against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from hive.decisions.placement.demand import Demand
from hive.decisions.placement.quantities import spell
from hive.decisions.placement.rooms import ClusterRoom, NodeRoom, fullness
from hive.decisions.placement.selectors import unmet
from hive.decisions.placement.tolerations import NEW_ONLY, SOFT, spell_taint, untolerated
from hive.facts.fleet import UNIT, Cluster, GpuNeed, Node

_AHEAD = timedelta(minutes=1)
"""How far an observer's clock may be ahead of ours."""
_MIB = 1024 * 1024 * UNIT
_WHOLE = 1_000_000


@dataclass(frozen=True, slots=True)
class Fresh:
    """What counts as seen at `now`: looks of at most `stale_after` ago."""

    now: datetime
    stale_after: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Suit:
    """What does not change within a round: whether a cluster and its nodes suit a demand at all.

    Attributes:
        obstacles: Of the cluster.
        soft: Soft taints of the cluster that are not tolerated.
        nodes: Those that suit, with the number of their soft taints.
        misfit: Why the nearest node does not suit, and how many reasons there are.
    """

    obstacles: tuple[str, ...]
    soft: int
    nodes: tuple[tuple[int, NodeRoom], ...]
    misfit: tuple[int, str] = (0, "")


@dataclass(frozen=True, slots=True)
class Standing:
    """How a cluster stands for a demand at one moment.

    Attributes:
        obstacles: Why not; empty where it fits.
        distance: How near a miss is: reasons, then the share that is lacking in millionths.
        nodes: Those that have room, with the number of their soft taints.
        fullness: Of the nodes that suit.
    """

    obstacles: tuple[str, ...]
    distance: tuple[int, int] = (0, 0)
    soft: int = 0
    nodes: tuple[tuple[int, NodeRoom], ...] = ()
    fullness: tuple[int, int] = (0, 0)

    @property
    def fits(self) -> bool:
        return not self.obstacles


def suit(demand: Demand, room: ClusterRoom, fresh: Fresh, *, is_there: bool = False) -> Suit:
    """How `room` suits `demand`; `is_there` for a request that runs there already."""
    taints = untolerated(room.cluster.taints, demand.tolerations)
    soft = sum(taint.effect in SOFT for taint in taints)
    obstacles = [*_cluster_obstacles(demand, room.cluster, fresh)]
    spared = SOFT | {NEW_ONLY} if is_there else SOFT
    obstacles.extend(
        f"its taint {spell_taint(taint)} is not tolerated" for taint in taints if taint.effect not in spared
    )
    nodes: list[tuple[int, NodeRoom]] = []
    misfits: list[tuple[int, str, str]] = []
    for node in room.nodes:
        reasons = tuple(_node_obstacles(demand, node.node))
        if reasons:
            misfits.append((len(reasons), node.node.name, "; ".join(reasons)))
        else:
            over = untolerated(node.node.taints, demand.tolerations)
            nodes.append((len(over), node))
    nearest = min(misfits, default=(0, "", ""))
    return Suit(tuple(obstacles), soft, tuple(nodes), (nearest[0], f"{nearest[1]}: {nearest[2]}"))


def standing(demand: Demand, room: ClusterRoom, suited: Suit) -> Standing:
    """How `room` stands for `demand` with what is used there now."""
    able: list[tuple[int, NodeRoom]] = []
    nearest: tuple[int, int, str, str] | None = None
    for soft, node in suited.nodes:
        lacking = node.lacking(demand.needs)
        if not lacking:
            able.append((soft, node))
            continue
        short = max((wanted - free) * _WHOLE // wanted for _, wanted, free in lacking)
        words = ", ".join(_lack(node, *each) for each in lacking)
        found = (len(lacking), short, node.node.name, words)
        nearest = found if nearest is None else min(nearest, found)
    if able and not suited.obstacles:
        full = fullness((node for _, node in suited.nodes), demand)
        return Standing((), soft=suited.soft, nodes=tuple(able), fullness=full)
    if able:
        return Standing(suited.obstacles, (len(suited.obstacles), 0))
    return _miss(room, suited, nearest)


def _miss(room: ClusterRoom, suited: Suit, nearest: tuple[int, int, str, str] | None) -> Standing:
    """A cluster none of whose nodes will do."""
    if not room.nodes:
        # Nothing seen is said already; a cluster without nodes is another matter.
        seen = room.cluster.seen is not None
        obstacles = (*suited.obstacles, *(("it has no nodes",) if seen else ()))
        return Standing(obstacles, (len(obstacles), _WHOLE))
    if nearest is not None:
        reasons, short, words = nearest[0], nearest[1], f"{nearest[2]} {nearest[3]}"
    else:
        reasons, short, words = suited.misfit[0], _WHOLE, suited.misfit[1]
    which = "its node" if len(room.nodes) == 1 else f"none of its {len(room.nodes)} nodes will do, nearest"
    obstacles = (*suited.obstacles, f"{which} {words}")
    return Standing(obstacles, (len(suited.obstacles) + reasons, short))


def _lack(node: NodeRoom, name: str, wanted: int, free: int) -> str:
    whole = node.node.allocatable.get(name, 0)
    has = f"of {spell(whole)} free" if wanted <= whole else f"free and no more than {spell(whole)} in all"
    return f"lacks {name}: {spell(wanted)} wanted, {spell(free)} {has}"


def _cluster_obstacles(demand: Demand, cluster: Cluster, fresh: Fresh) -> Iterator[str]:
    missing = tuple(unmet(demand.clusters, cluster.labels))
    if missing:
        yield f"its labels lack {' and '.join(missing)}"
    if cluster.is_deleting:
        yield "it is being deleted"
    if not cluster.is_accepted:
        yield "the hub has not accepted it"
    if cluster.available != "True":
        yield f"it is not known to be available (condition {cluster.available or 'missing'})"
    yield from _unseen(cluster, fresh)


def _unseen(cluster: Cluster, fresh: Fresh) -> Iterator[str]:
    if cluster.seen is None:
        yield "nothing was observed in it"
        return
    age = fresh.now - cluster.seen.at
    if age > fresh.stale_after:
        yield f"it was last observed {_spell_time(age)} ago, longer than {_spell_time(fresh.stale_after)}"
    elif age < -_AHEAD:
        yield f"its observation is {_spell_time(-age)} in the future"


def _node_obstacles(demand: Demand, node: Node) -> Iterator[str]:
    if demand.gpu is not None:
        yield from _gpu_obstacles(demand.gpu, node)
    for taint in untolerated(node.taints, demand.tolerations):
        if taint.effect not in SOFT:
            yield f"its taint {spell_taint(taint)} is not tolerated"


def _gpu_obstacles(gpu: GpuNeed, node: Node) -> Iterator[str]:
    if (gpu.products or gpu.memory) and not node.allocatable.get(gpu.resource):
        yield f"it has no {gpu.resource}"
        return
    if gpu.products:
        product = _product(gpu.resource, node)
        if product not in gpu.products:
            yield f"its GPU is {product or 'of unknown product'}, not {' or '.join(gpu.products)}"
    if gpu.memory:
        memory = _memory(gpu.resource, node)
        if memory is None:
            yield "the memory of its GPUs is not known"
        elif memory < gpu.memory:
            yield f"its GPUs have {spell(memory)} of memory, {spell(gpu.memory)} wanted"


def _product(resource: str, node: Node) -> str | None:
    """What the vendor's discovery says: NVIDIA's labels, AMD's, Intel's."""
    vendor = resource.rpartition("/")[0]
    names = (f"{resource}.product", f"{resource}.product-name", f"{vendor}/gpu.product", f"{vendor}/product")
    return next((node.labels[name] for name in names if name in node.labels), None)


def _memory(resource: str, node: Node) -> int | None:
    """Of one device, from the label in MiB; a slice (MIG) has its own label, or it is not known."""
    text = node.labels.get(f"{resource.removesuffix('.shared')}.memory", "")
    return int(text) * _MIB if text.isascii() and text.isdigit() and len(text) < 16 else None


def _spell_time(age: timedelta) -> str:
    """``7m``, ``2d``, ``90s``: whole units where they are exact, else rounded down to seconds."""
    seconds = int(age.total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
