"""BindingPolicies into Bindings, as KubeStellar does, and what is wrong with the policies.

KubeStellar looks at labels of ManagedClusters alone, never at their health. Hive differs in two points:
a cluster that is being deleted is chosen by nothing, and what KubeStellar skips in silence is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hive.decisions.placement.matching import is_ever_sent, is_matched
from hive.decisions.placement.selectors import matches, why_broken
from hive.facts.fleet import (
    BindingPolicy,
    Cluster,
    DownsyncClause,
    LabelSelector,
    Modulation,
    WorkloadObject,
    object_id,
)

_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d+)?")


@dataclass(frozen=True, slots=True)
class PolicyBinding:
    """Where one policy sends what. Clusters are names; objects are by id, in plain string order."""

    policy: str
    clusters: tuple[str, ...] = ()
    objects: tuple[tuple[str, Modulation], ...] = ()


def policy_id(name: str) -> str:
    return object_id("control.kubestellar.io", "v1alpha1", "bindingpolicies", "", name)


def bind(
    policy: BindingPolicy,
    clusters: Sequence[Cluster],
    objects: Sequence[WorkloadObject],
    namespaces: Mapping[str, Mapping[str, str]],
) -> PolicyBinding:
    """What `policy` binds now: nothing while it is inert or could not be served at all."""
    if policy.is_inert or any(True for _ in refusals(policy)):
        return PolicyBinding(policy.name)
    chosen = sorted(
        cluster.name
        for cluster in clusters
        if not cluster.is_deleting and any(matches(each, cluster.labels) for each in policy.cluster_selectors)
    )
    matched = {
        item.id: modulation
        for item in objects
        if is_ever_sent(item) and (modulation := _modulation(policy, item, namespaces)) is not None
    }
    return PolicyBinding(policy.name, tuple(chosen), tuple(sorted(matched.items(), key=lambda one: one[0])))


def namespace_labels(objects: Sequence[WorkloadObject]) -> dict[str, Mapping[str, str]]:
    """The labels of the Namespaces among `objects`, by name."""
    return {each.name: each.labels for each in objects if (each.group, each.resource) == ("", "namespaces")}


def refusals(policy: BindingPolicy) -> Iterator[str]:
    """Why `policy` as a whole can bind nothing."""
    for place, selector in enumerate(policy.cluster_selectors):
        broken = why_broken(selector)
        if broken:
            yield f"clusterSelectors[{place}]: {broken}; until then the policy chooses nothing"
    for place, clause in enumerate(policy.downsync):
        if not clause.is_test:
            yield (
                f"downsync[{place}] says nothing of the objects that it is for; "
                'write resources: ["*"] if it is for all; until then the policy chooses nothing'
            )


def remarks(policy: BindingPolicy) -> Iterator[str]:
    """What in `policy` has no effect, though it stands there."""
    if not policy.cluster_selectors:
        yield "clusterSelectors is empty, which chooses no cluster; write [{}] for all"
    for place, clause in enumerate(policy.downsync):
        yield from (f"downsync[{place}].{each}" for each in _clause_remarks(clause))


def _clause_remarks(clause: DownsyncClause) -> Iterator[str]:
    group = clause.api_group
    if group is not None and (meant := _group_meant(group)) is not None:
        yield f"apiGroup: '{group}' carries a version and matches nothing; write '{meant}'"
    yield from _skipped("namespaceSelectors", clause.namespace_selectors)
    yield from _skipped("objectSelectors", clause.object_selectors)


def _group_meant(group: str) -> str | None:
    """``apps`` for ``apps/v1``, nothing for ``v1``; None for a group that carries no version."""
    if "/" in group:
        return group.partition("/")[0]
    return "" if _VERSION.fullmatch(group) else None


def _skipped(what: str, selectors: Sequence[LabelSelector]) -> Iterator[str]:
    for place, selector in enumerate(selectors):
        broken = why_broken(selector)
        if broken:
            yield f"{what}[{place}]: {broken}; until then it selects nothing"


def _modulation(
    policy: BindingPolicy, item: WorkloadObject, namespaces: Mapping[str, Mapping[str, str]]
) -> Modulation | None:
    """All matching clauses together; None where none matches."""
    found: Modulation | None = None
    for clause in policy.downsync:
        if is_matched(clause, item, namespaces):
            found = clause.modulation if found is None else found.with_more(clause.modulation)
    return found
