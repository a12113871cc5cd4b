"""Whether a sandbox stays where it is although placement would rather have it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hive.decisions.placement import Fresh, place
from hive.decisions.placement.selectors import unmet
from hive.decisions.placement.tolerations import spell_taint, untolerated
from hive.facts.fleet import Cluster, Fleet, SandboxRequest

_ABOUT_SIGHT = frozenset(
    {"cluster.open-cluster-management.io/unreachable", "cluster.open-cluster-management.io/unavailable"}
)
"""Open Cluster Management's own taints of a cluster that it cannot see: a matter of sight, not of wish."""


def is_in_sight(cluster: Cluster, fresh: Fresh) -> bool:
    seen = cluster.seen
    if any(each.key in _ABOUT_SIGHT for each in cluster.taints):
        return False
    return cluster.available == "True" and seen is not None and fresh.now - seen.at <= fresh.stale_after


def why_barred(request: SandboxRequest, cluster: Cluster) -> str | None:
    """Why the operator does not want it there, whatever room there is; None where it may be there."""
    if cluster.is_deleting:
        return "the cluster is being deleted"
    missing = tuple(unmet(request.clusters, cluster.labels))
    if missing:
        return f"its labels lack {' and '.join(missing)}"
    for taint in untolerated(cluster.taints, request.tolerations):
        if taint.effect == "NoSelect" and taint.key not in _ABOUT_SIGHT:
            return f"its taint {spell_taint(taint)} is not tolerated"
    return None


def destination(
    request: SandboxRequest,
    decided: str | None,
    home: str | None,
    clusters: Mapping[str, Cluster],
    fresh: Fresh,
) -> str | None:
    """Where `request` has to be: where placement decided, but for two reasons to leave it at `home`.

    Out of sight it may well be running, and could not be replaced before it was seen to be gone. And one
    that runs where it is allowed to is not taken away because it would not be put there today.
    """
    cluster = clusters.get(home) if home is not None else None
    if cluster is None or decided == home or why_barred(request, cluster) is not None:
        return decided
    return home if decided is None or not is_in_sight(cluster, fresh) else decided


def is_hopeless(request: SandboxRequest, clusters: tuple[Cluster, ...], fresh: Fresh) -> bool:
    """Whether no cluster could serve it even if it were empty. Never said while one is out of sight."""
    if any(not is_in_sight(each, fresh) for each in clusters if not each.is_deleting):
        return False
    emptied = tuple(_emptied(each) for each in clusters)
    fleet = Fleet(clusters=emptied, requests=(request,))
    decided = place(fleet, fresh, templates=(request.template,), most_reasons=0)
    return all(each.cluster is None for each in decided.placements)


def _emptied(cluster: Cluster) -> Cluster:
    if cluster.seen is None:
        return cluster
    nodes = tuple(replace(node, requested={}) for node in cluster.seen.nodes)
    return replace(cluster, seen=replace(cluster.seen, nodes=nodes))
