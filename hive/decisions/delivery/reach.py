"""Which kinds of objects policies can match at all: what has to be listed on the hub."""

from __future__ import annotations

from collections.abc import Iterable

from hive.decisions.placement.matching import is_ever_sent
from hive.facts.fleet import BindingPolicy, DownsyncClause, WorkloadObject
from hive.facts.kubernetes import NAMESPACES, SANDBOX_REQUESTS, ResourceType

_OF_THE_FLEET = frozenset(
    {"hive.fleet", "cluster.open-cluster-management.io", "work.open-cluster-management.io"}
)
"""The hub's own papers, where hub and inventory are one API server: no workload."""


def kinds_matched(
    policies: Iterable[BindingPolicy], served: Iterable[ResourceType]
) -> frozenset[ResourceType]:
    """Of those that the hub serves. Namespaces are among them where their labels matter."""
    clauses = [each for policy in policies if not policy.is_inert for each in policy.downsync]
    found = {kind for kind in served if is_sent(kind) and any(_may_match(each, kind) for each in clauses)}
    if any(each.namespace_selectors for each in clauses):
        found.add(NAMESPACES)
    return frozenset(found)


def is_sent(kind: ResourceType) -> bool:
    probe = WorkloadObject(kind.group, kind.version, kind.plural, "", "")
    return kind.group not in _OF_THE_FLEET and is_ever_sent(probe)


def reach_remarks(policy: BindingPolicy) -> Iterable[str]:
    """Clauses that name what only hive sends."""
    for place, clause in enumerate(policy.downsync):
        if clause.api_group == SANDBOX_REQUESTS.group or SANDBOX_REQUESTS.plural in clause.resources:
            yield (
                f"downsync[{place}] names sandbox requests, which hive places by itself, one on one cluster; "
                "take them out"
            )


def _may_match(clause: DownsyncClause, kind: ResourceType) -> bool:
    return clause.api_group in (None, kind.group) and (
        not clause.resources or "*" in clause.resources or kind.plural in clause.resources
    )
