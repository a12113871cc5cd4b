"""Who of the last round stays: each request, as long as it fits where it is.

A Binding names a cluster and no node, and what it put there is in what the nodes' `requested` counts.
So each bound request is first found a node whose count can hold its share, all of them together; then
the shares are taken out and put back one by one, as far as the node can bear them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hive.decisions.placement.choice import best_node
from hive.decisions.placement.demand import PODS, Demand
from hive.decisions.placement.rooms import ClusterRoom, NodeRoom
from hive.facts.fleet import Amount, Node, SandboxRequest

_MOST_STEPS = 20_000
"""Of the search for a node for each; chosen so that a round with a hard puzzle still ends at once."""
_MOST_CLAIMS = 200
"""Beyond so many in one cluster only the quick way is tried."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A request that the last round put on a cluster which still suits it, with the nodes that do."""

    request: SandboxRequest
    demand: Demand
    nodes: tuple[tuple[int, NodeRoom], ...]


def stayers(claims: Sequence[Claim], room: ClusterRoom) -> dict[str, NodeRoom]:
    """The node of each request that stays in `room`, by request key; the books are kept."""
    ordered = sorted(claims, key=_largest_first)
    hosts = _Hosts(room)
    hosts.find(ordered)
    kept = {each.request.key: node for each in ordered if (node := hosts.keep(each)) is not None}
    for each in ordered:
        if each.request.key not in kept:
            node = _with_room(each)
            if node is not None:
                room.take(node, each.demand.needs)
                kept[each.request.key] = node
    return kept


def _with_room(claim: Claim) -> NodeRoom | None:
    """A node with room for all of it, whatever is counted: the look may be older than the Binding."""
    able = [(soft, node) for soft, node in claim.nodes if not node.lacking(claim.demand.needs)]
    return best_node(claim.request, claim.demand, able) if able else None


def _largest_first(claim: Claim) -> tuple[list[Amount], str]:
    needs = dict(claim.demand.needs)
    gpu = claim.demand.gpu.resource if claim.demand.gpu else ""
    return [-needs.get(name, 0) for name in (gpu, "memory", "cpu")], claim.request.key


@dataclass(slots=True)
class _Hosts:
    """Which node each claim's share is counted on."""

    room: ClusterRoom
    pools: dict[str, dict[str, Amount]] = field(default_factory=dict)
    """What can be claimed on each node and is claimed by nobody yet."""
    found: dict[str, NodeRoom] = field(default_factory=dict)
    without: dict[str, dict[str, Amount]] = field(default_factory=dict)
    """What is used on each node, less the shares that are not put back yet."""
    steps: int = 0

    def find(self, claims: Sequence[Claim]) -> None:
        self._fill()
        # Whoever is counted nowhere must not spoil the search for the others.
        counted = [each for each in claims if self._holders(each)]
        if not self._find_quickly(counted):
            quick, pools = dict(self.found), self.pools
            self._fill()
            if len(counted) > _MOST_CLAIMS or not self._find_all(counted, 0):
                self.found, self.pools = quick, pools
                if len(counted) > _MOST_CLAIMS or self.steps > _MOST_STEPS:
                    self._believe(counted)
        self._find_leniently(claims)
        self._take_out(claims)

    def _fill(self) -> None:
        self.found.clear()
        self.pools = {node.node.name: _pool(node.node) for node in self.room.nodes}

    def keep(self, claim: Claim) -> NodeRoom | None:
        """Put the share of `claim` back, if its node can bear it."""
        node = self.found.get(claim.request.key)
        if node is None:
            return None
        used = self.without[node.node.name]
        bearable = {name: amount + used.get(name, 0) for name, amount in claim.demand.needs}
        if NodeRoom(node.node, {}).lacking(tuple(bearable.items())):
            return None
        used.update(bearable)
        self.room.take(node, [(k, v) for k, v in claim.demand.needs if k not in node.node.requested])
        return node

    def _find_quickly(self, claims: Sequence[Claim]) -> bool:
        for claim in claims:
            node = next(iter(self._holders(claim)), None)
            if node is not None:
                self._claim(claim, node)
        return len(self.found) == len(claims)

    def _find_all(self, claims: Sequence[Claim], place: int) -> bool:
        """By trying all ways, tightest first, within bounds."""
        if place == len(claims):
            return True
        tried: set[tuple[object, ...]] = set()
        for node in self._holders(claims[place]):
            self.steps += 1
            if self.steps > _MOST_STEPS:
                return False
            alike = self._likeness(node)
            if alike in tried:
                continue
            tried.add(alike)
            self._claim(claims[place], node)
            if self._find_all(claims, place + 1):
                return True
            self._unclaim(claims[place], node)
        return False

    def _holders(self, claim: Claim) -> list[NodeRoom]:
        """Nodes whose unclaimed count holds the share of `claim`: what counts most of it, then tightest."""
        able = [node for _, node in claim.nodes if _holds(self.pools[node.node.name], claim.demand)]
        return sorted(
            able, key=lambda each: (_uncounted(claim, each), self._left(claim, each), each.node.name)
        )

    def _likeness(self, node: NodeRoom) -> tuple[object, ...]:
        """Equal for nodes of which one will do as well as the other."""
        labels, pool = node.node.labels, self.pools[node.node.name]
        return tuple(sorted(pool.items())), tuple(sorted(labels.items())), node.node.taints

    def _left(self, claim: Claim, node: NodeRoom) -> list[Amount]:
        pool = self.pools[node.node.name]
        gpu = claim.demand.gpu.resource if claim.demand.gpu else "nvidia.com/gpu"
        return [pool.get(name, 0) for name in (gpu, "memory", "cpu")]

    def _claim(self, claim: Claim, node: NodeRoom) -> None:
        _add(self.pools[node.node.name], claim.demand, -1)
        self.found[claim.request.key] = node

    def _unclaim(self, claim: Claim, node: NodeRoom) -> None:
        _add(self.pools[node.node.name], claim.demand, 1)
        del self.found[claim.request.key]

    def _believe(self, claims: Sequence[Claim]) -> None:
        """Nobody is moved because a puzzle was too hard: who can be somewhere alone is there."""
        for claim in claims:
            if claim.request.key not in self.found:
                able = [node for _, node in claim.nodes if _holds(_pool(node.node), claim.demand)]
                if able:
                    self.found[claim.request.key] = min(able, key=lambda node: node.node.name)

    def _find_leniently(self, claims: Sequence[Claim]) -> None:
        """The rest on nodes that count some of what they use, and were never asked for the other."""
        for claim in claims:
            if claim.request.key in self.found:
                continue
            for _, node in claim.nodes:
                pool, counted = self.pools[node.node.name], node.node.requested
                names = [name for name, _ in claim.demand.needs if name != PODS]
                for name in names:
                    pool.setdefault(name, node.node.allocatable.get(name, 0))
                if any(name in counted for name in names) and _holds(pool, claim.demand):
                    self._claim(claim, node)
                    break

    def _take_out(self, claims: Sequence[Claim]) -> None:
        self.without = {node.node.name: dict(node.used) for node in self.room.nodes}
        for claim in claims:
            node = self.found.get(claim.request.key)
            if node is not None:
                _add(self.without[node.node.name], claim.demand, -1, only=node.node.requested)


def _uncounted(claim: Claim, node: NodeRoom) -> int:
    return sum(name not in node.node.requested for name, _ in claim.demand.needs)


def _pool(node: Node) -> dict[str, Amount]:
    """What can be claimed on `node`: what is counted there. Pods are often not; their limit stands then."""
    pods = {PODS: node.allocatable[PODS]} if PODS in node.allocatable else {}
    return {**pods, **node.requested}


def _holds(pool: Mapping[str, Amount], demand: Demand) -> bool:
    """Whether a share of `demand` may be in `pool`."""
    return all(pool.get(name, amount if name == PODS else 0) >= amount for name, amount in demand.needs)


def _add(
    pool: dict[str, Amount], demand: Demand, sign: int, only: Mapping[str, Amount] | None = None
) -> None:
    for name, amount in demand.needs:
        if name in (pool if only is None else only):
            pool[name] = pool[name] + sign * amount
