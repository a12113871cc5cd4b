"""One round of placement: policies into Bindings, requests into clusters, each with its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hive.decisions.placement.binding import (
    PolicyBinding,
    bind,
    namespace_labels,
    policy_id,
    refusals,
    remarks,
)
from hive.decisions.placement.choice import Candidate, best_node, ranks
from hive.decisions.placement.demand import Demand, demand_of
from hive.decisions.placement.explanation import MOST, why
from hive.decisions.placement.fit import Fresh, Standing, Suit, standing, suit
from hive.decisions.placement.last_round import Claim, stayers
from hive.decisions.placement.rooms import ClusterRoom, NodeRoom, Rooms, rooms_of
from hive.decisions.placement.selectors import why_broken
from hive.facts.fleet import Amount, Fleet, Problem, RequestBinding, SandboxRequest, object_id


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one request goes: cluster and node, or neither; and why, by cluster."""

    request: str
    cluster: str | None
    node: str | None
    why: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Round:
    """The whole answer, each part in plain string order of what names its entries."""

    bindings: tuple[PolicyBinding, ...]
    placements: tuple[Placement, ...]
    problems: tuple[Problem, ...]


def request_id(request: SandboxRequest) -> str:
    return object_id("hive.fleet", "v1alpha1", "sandboxrequests", request.namespace, request.name)


def place(fleet: Fleet, fresh: Fresh, *, templates: Iterable[str], most_reasons: int | None = MOST) -> Round:
    """Decide on the whole of `fleet`. What is wrong in itself takes no part, and is in `problems`.

    `templates` are the names of the sandbox templates that there are; `most_reasons` bounds the
    clusters that each placement explains, None for all.
    """
    known = sorted(templates)
    problems = [*_policy_problems(fleet)]
    sound: list[SandboxRequest] = []
    for request in fleet.requests:
        wrong = _why_wrong(request, known)
        if wrong is None:
            sound.append(request)
        else:
            problems.append(Problem(request_id(request), wrong))
    namespaces = namespace_labels(fleet.objects)
    bindings = [bind(each, fleet.clusters, fleet.objects, namespaces) for each in fleet.policies]
    placements = _Service(fleet, fresh, most_reasons, rooms_of(fleet.clusters)).serve(sound)
    return Round(
        tuple(sorted(bindings, key=lambda one: one.policy)),
        tuple(sorted(placements, key=lambda one: one.request)),
        tuple(sorted(problems, key=lambda one: (one.object, one.message))),
    )


def _policy_problems(fleet: Fleet) -> Iterable[Problem]:
    for policy in fleet.policies:
        if not policy.is_inert:
            for message in (*refusals(policy), *remarks(policy)):
                yield Problem(policy_id(policy.name), message)


def _why_wrong(request: SandboxRequest, templates: list[str]) -> str | None:
    if request.template not in templates:
        return f"there is no template '{request.template}'; there are: {', '.join(templates)}"
    broken = why_broken(request.clusters)
    return None if broken is None else f"clusters: {broken}"


@dataclass(slots=True)
class _Kind:
    """All requests of one demand: how clusters suit them, and how each stood when last looked at."""

    demand: Demand
    suits: list[Suit]
    standings: list[tuple[int, Standing]]
    """With the version of the cluster's books; it is looked at again when they changed."""


@dataclass(slots=True)
class _Service:
    """Serves requests one after another and keeps the books meanwhile."""

    fleet: Fleet
    fresh: Fresh
    most: int | None
    rooms: Rooms
    kinds: dict[Demand, _Kind] = field(default_factory=dict)

    def serve(self, requests: Iterable[SandboxRequest]) -> list[Placement]:
        ordered = sorted(requests, key=_scarcest_first)
        homes = _homes(ordered, self.fleet.last)
        staying = self._stayers(ordered, homes)
        for request in ordered:
            if request.key in staying:
                room, _ = staying[request.key]
                self.rooms.count((request.namespace, request.template), room.cluster.name)
        nowhere: frozenset[str] = frozenset()
        return [self._serve(each, homes.get(each.key, nowhere), staying.get(each.key)) for each in ordered]

    def _stayers(
        self, requests: list[SandboxRequest], homes: Mapping[str, frozenset[str]]
    ) -> dict[str, tuple[ClusterRoom, NodeRoom]]:
        """Where those of the last round stay. They go first: nobody new takes their place."""
        staying: dict[str, tuple[ClusterRoom, NodeRoom]] = {}
        for room in self.rooms.clusters:
            claims: list[Claim] = []
            for request in requests:
                if room.cluster.name in homes.get(request.key, ()) and request.key not in staying:
                    demand = demand_of(request)
                    suited = suit(demand, room, self.fresh, is_there=True)
                    if not suited.obstacles:
                        claims.append(Claim(request, demand, suited.nodes))
            if claims:
                kept = stayers(claims, room)
                staying.update({key: (room, node) for key, node in kept.items()})
        return staying

    def _serve(
        self,
        request: SandboxRequest,
        homes: frozenset[str],
        stays: tuple[ClusterRoom, NodeRoom] | None,
    ) -> Placement:
        demand = demand_of(request)
        candidates = self._candidates(demand, homes)
        able = [each for each in candidates if each[1].fits]
        ranked = ranks(request, able, self.rooms)
        found = stays
        if found is None and able:
            room, stands = min(able, key=lambda one: (ranked[one[0].cluster.name], one[0].cluster.name))
            found = room, best_node(request, demand, stands.nodes)
            room.take(found[1], demand.needs)
            self.rooms.count((request.namespace, request.template), room.cluster.name)
        chosen = None if found is None else (found[0].cluster.name, found[1].node.name)
        reasons = why(request, candidates, ranked, chosen, stays=stays is not None, most=self.most)
        return Placement(request.key, chosen and chosen[0], chosen and chosen[1], reasons)

    def _candidates(self, demand: Demand, homes: frozenset[str]) -> list[Candidate]:
        kind = self.kinds.get(demand)
        if kind is None:
            suits = [suit(demand, room, self.fresh) for room in self.rooms.clusters]
            kind = self.kinds[demand] = _Kind(demand, suits, [(-1, Standing(()))] * len(suits))
        found: list[Candidate] = []
        for place, room in enumerate(self.rooms.clusters):
            if room.cluster.name in homes:
                # The one look that another request of the kind has no use for: it may be there already.
                found.append((room, standing(demand, room, suit(demand, room, self.fresh, is_there=True))))
                continue
            version, stands = kind.standings[place]
            if version != room.version:
                stands = standing(demand, room, kind.suits[place])
                kind.standings[place] = (room.version, stands)
            found.append((room, stands))
        return found


def _homes(requests: Iterable[SandboxRequest], last: Iterable[RequestBinding]) -> dict[str, frozenset[str]]:
    """The clusters of the last round, by request key; a Binding of something else is ignored."""
    bindings = {each.name: each for each in last}
    return {
        each.key: bindings[each.binding].clusters
        for each in requests
        if each.binding in bindings and each.key in bindings[each.binding].requests
    }


def _scarcest_first(request: SandboxRequest) -> tuple[Amount, int, Amount, Amount, Amount, str]:
    """What is hard to place goes first, so that what is easy does not take its only room."""
    gpu = request.gpu
    return (
        -(gpu.count if gpu else 0),
        len(gpu.products) or 1_000_000 if gpu else 0,
        -(gpu.memory if gpu else 0),
        -request.resources.get("memory", 0),
        -request.resources.get("cpu", 0),
        request.key,
    )
