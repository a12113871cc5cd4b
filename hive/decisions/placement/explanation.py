"""Why a request went where it went: a line for each cluster, the nearest misses first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from hive.decisions.placement.choice import Candidate, Rank
from hive.facts.fleet import SandboxRequest, Strategy

MOST = 50
"""Clusters that are explained; a person reads no more, and a fleet may have thousands."""


def why(
    request: SandboxRequest,
    candidates: Sequence[Candidate],
    ranks: Mapping[str, Rank],
    chosen: tuple[str, str] | None,
    *,
    stays: bool = False,
    most: int | None = MOST,
) -> tuple[tuple[str, str], ...]:
    """By cluster: ``chosen: …``, ``fits: …`` or ``not: …``, in this order; `chosen` is cluster and node."""

    def order(candidate: Candidate) -> tuple[int, tuple[int, ...], str]:
        name = candidate[0].cluster.name
        if chosen is not None and name == chosen[0]:
            return 0, (), name
        if candidate[1].fits:
            return 1, ranks[name], name
        return 2, candidate[1].distance, name

    shown = sorted(candidates, key=order) if most is None else heapq.nsmallest(most, candidates, key=order)
    return tuple((each[0].cluster.name, _line(request, each, ranks, chosen, stays)) for each in shown)


def _line(
    request: SandboxRequest,
    candidate: Candidate,
    ranks: Mapping[str, Rank],
    chosen: tuple[str, str] | None,
    stays: bool,
) -> str:
    name = candidate[0].cluster.name
    if chosen is not None and name == chosen[0]:
        return f"chosen: {_merit(request, ranks, name, stays)}, on node {chosen[1]}"
    if not candidate[1].fits:
        return f"not: {'; '.join(candidate[1].obstacles)}"
    if chosen is None or stays:
        return f"fits: but it stays where it is{_kind(request, ranks[name])}"
    return f"fits: {_demerit(request, ranks[name], ranks[chosen[0]])}"


def _merit(request: SandboxRequest, ranks: Mapping[str, Rank], name: str, stays: bool) -> str:
    if stays:
        return "it is there already, and still fits"
    if len(ranks) == 1:
        return "it is the only one that fits"
    if request.strategy == Strategy.SPREAD:
        return f"it has the fewest of its kind of {len(ranks)} that fit{_kind(request, ranks[name])}"
    return f"it is the fullest of {len(ranks)} that fit"


def _demerit(request: SandboxRequest, rank: Rank, best: Rank) -> str:
    if rank[:2] != best[:2]:
        return "but taints that only cost stand against it"
    if rank == best:
        return "as well as the chosen one, whose name comes first"
    if request.strategy == Strategy.SPREAD:
        return f"but it has no label {request.topology_key}" if rank[2] else "but it has more of its kind"
    return "but it is less full"


def _kind(request: SandboxRequest, rank: Rank) -> str:
    return f" ({rank[3]} already)" if request.strategy == Strategy.SPREAD else ""
