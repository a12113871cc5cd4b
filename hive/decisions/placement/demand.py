"""What a request asks of clusters and nodes: the same for all requests of its kind."""

from __future__ import annotations

from dataclasses import dataclass

from hive.facts.fleet import UNIT, Amount, GpuNeed, LabelSelector, SandboxRequest, Toleration

PODS = "pods"
"""The resource that counts pods; a node that does not name it has no limit."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The hard part of a request; equal demands have equal answers."""

    clusters: LabelSelector
    tolerations: tuple[Toleration, ...]
    gpu: GpuNeed | None
    needs: tuple[tuple[str, Amount], ...]
    """By resource name, sorted; one pod included."""


def demand_of(request: SandboxRequest) -> Demand:
    needs = dict(request.resources)
    if request.gpu is not None:
        resource = request.gpu.resource
        needs[resource] = max(needs.get(resource, 0), request.gpu.count * UNIT)
    needs[PODS] = max(needs.get(PODS, 0), UNIT)
    wanted = tuple(sorted((name, amount) for name, amount in needs.items() if amount > 0))
    return Demand(request.clusters, request.tolerations, request.gpu, wanted)
