"""The roll of the fleet: all that is known of each cluster, from every source, as placement takes it.

A member that does not answer keeps what runs on it for as long as the last look at it counts: a short
breach of the network moves nothing. Nothing new is sent there meanwhile, and after that it is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from hive.decisions.inventory.managed_clusters import Away
from hive.decisions.inventory.observe import Look
from hive.facts.fleet import Cluster, Observation, Problem, Taint

DOES_NOT_ANSWER = Taint("hive.fleet/does-not-answer", "", "NoSelectIfNew")
NO_CONNECTION = Taint("hive.fleet/no-connection", "", "NoSelect")
"""Of a cluster that no context of the configuration leads to: hive could not bring anything there."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Clusters that a file of the operator describes, and what is wrong in it.

    Attributes:
        observations: Of clusters that the file has facts of, by name, whether or not it describes them.
    """

    clusters: tuple[Cluster, ...] = ()
    observations: Mapping[str, Observation] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberState:
    """A member as hive's own looks left it.

    Attributes:
        look: The last that it answered, however long ago.
        away: Since when it does not answer; None while it does.
    """

    look: Look | None = None
    away: Away | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """Where facts come from: the hub's ManagedClusters and ClusterFacts, hive's looks, the file.

    Attributes:
        registered: Those of `managed` that hive itself registered.
    """

    managed: tuple[Cluster, ...] = ()
    registered: frozenset[str] = frozenset()
    facts: Mapping[str, Observation] = field(default_factory=dict)
    members: Mapping[str, MemberState] = field(default_factory=dict)
    declared: Declared = Declared()


def roll(sources: Sources, now: datetime, stale_after: timedelta) -> tuple[Cluster, ...]:
    """Every cluster, in order of their names. The hub's word counts before the file's."""
    clusters = {each.name: each for each in sources.declared.clusters}
    for each in sources.managed:
        there = clusters.get(each.name)
        clusters[each.name] = each if there is None else _together(each, there)
    return tuple(
        _with_state(clusters[name], _newest(name, sources), sources, now - stale_after)
        for name in sorted(clusters)
    )


def _together(hub: Cluster, declared: Cluster) -> Cluster:
    """The file adds labels and taints to what the hub has."""
    own = {(taint.key, taint.effect) for taint in hub.taints}
    more = tuple(taint for taint in declared.taints if (taint.key, taint.effect) not in own)
    return replace(
        hub, labels={**declared.labels, **hub.labels}, taints=(*hub.taints, *more), seen=declared.seen
    )


def _newest(name: str, sources: Sources) -> Observation | None:
    """Of all that was observed in it, the last."""
    state = sources.members.get(name)
    found = [
        state.look.observation if state is not None and state.look is not None else None,
        sources.facts.get(name),
        sources.declared.observations.get(name),
    ]
    return max((each for each in found if each is not None), key=lambda each: each.at, default=None)


def _with_state(cluster: Cluster, seen: Observation | None, sources: Sources, oldest: datetime) -> Cluster:
    state = sources.members.get(cluster.name)
    if state is None:
        return replace(cluster, seen=seen, taints=(*cluster.taints, NO_CONNECTION))
    if cluster.name not in sources.registered and cluster.available not in (None, "True"):
        return replace(cluster, seen=seen)  # whoever registered it says so
    if state.away is None:
        return replace(cluster, seen=seen, available="True")
    if state.look is not None and state.look.observation.at >= oldest:
        return replace(cluster, seen=seen, available="True", taints=(*cluster.taints, DOES_NOT_ANSWER))
    return replace(cluster, seen=seen, available="Unknown")
