"""A hub or a member: the kinds that it serves, its nodes, and whether its network keeps pods apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hive.decisions.doctor.finding import Finding, ok, problem, warning
from hive.decisions.inventory.shapes import NodeShape
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    CLUSTER_FACTS,
    MANAGED_CLUSTERS,
    SANDBOX_REQUESTS,
    ResourceType,
)

HUB_KINDS = (MANAGED_CLUSTERS, BINDING_POLICIES, BINDINGS, SANDBOX_REQUESTS, CLUSTER_FACTS)
OLDEST = (1, 30)
"""Input of a command in a pod is ended by v5 of its protocol, which is on since 1.30 (its release notes)."""

_ENFORCING_GROUPS = {
    "crd.projectcalico.org": "Calico",
    "projectcalico.org": "Calico",
    "operator.tigera.io": "Calico",
    "cilium.io": "Cilium",
    "crd.antrea.io": "Antrea",
    "k8s.ovn.org": "OVN-Kubernetes",
    "kubeovn.io": "Kube-OVN",
}
"""API groups of plug-ins that enforce NetworkPolicies, of their vendors' documentation."""
_ENFORCING_PODS = {
    "calico-node": "Calico",
    "canal": "Canal",
    "cilium": "Cilium",
    "kube-router": "kube-router",
    "kindnet": "kindnet",
    "azure-npm": "Azure Network Policy Manager",
}
"""The same by the label `k8s-app` of their pods; kindnet enforces them since kind 0.24 (its notes)."""
ENFORCING_LABELS = f"k8s-app in ({','.join(_ENFORCING_PODS)})"
_ENFORCING_VERSIONS = {"+k3s": "K3s' own controller"}
"""By the server's version: K3s has it in its own process (its documentation)."""

_PLAIN = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})


def version_finding(name: str, context: str, version: str) -> Finding:
    major, _, rest = version.removeprefix("v").partition(".")
    minor = rest.partition(".")[0].rstrip("+")
    found = f"context {context}, {version}"
    if major.isdecimal() and minor.isdecimal() and (int(major), int(minor)) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return warning(
            name, f"{found}: hive needs {oldest} to write files into pods", "bring the cluster up to date"
        )
    return ok(name, found)


def kinds_finding(name: str, served: Iterable[ResourceType]) -> Finding:
    """Of a hub."""
    there = {(each.group, each.plural): each.version for each in served}
    missing = [each for each in HUB_KINDS if (each.group, each.plural) not in there]
    if missing:
        listed = ", ".join(f"{each.plural}.{each.group}" for each in missing)
        return problem(name, f"it does not serve {listed}", "install them: hive install --crds")
    other = [
        f"{each.plural}.{each.group} prefers {there[each.group, each.plural]}, hive speaks {each.version}"
        for each in HUB_KINDS
        if there[each.group, each.plural] != each.version
    ]
    if other:
        return warning(name, "; ".join(other), "see 'hive install --crds --dry-run': both may be served")
    return ok(name, f"all {len(HUB_KINDS)} that hive needs")


def node_findings(name: str, nodes: Sequence[NodeShape]) -> Iterator[Finding]:
    """Of a member."""
    ready = [each for each in nodes if _is_ready(each)]
    found = f"{len(ready)} of {len(nodes)} ready"
    if not ready:
        yield warning(f"{name}: nodes", found, "add a node, or see 'kubectl describe nodes'")
    else:
        yield ok(f"{name}: nodes", found)
    devices: dict[str, int] = {}
    for node in ready:
        for resource, amount in (node.status.allocatable or {}).items():
            if _is_device(resource) and str(amount).isdecimal():
                devices[resource] = devices.get(resource, 0) + int(amount)
    listed = ", ".join(f"{count} {resource}" for resource, count in sorted(devices.items()) if count)
    yield ok(f"{name}: devices", listed or "no GPU or other extended resource is offered")


def _is_ready(node: NodeShape) -> bool:
    conditions = node.status.conditions or []
    return any(each.type == "Ready" and each.status == "True" for each in conditions)


def _is_device(resource: str) -> bool:
    """An extended resource: its name has a domain, which is not Kubernetes' own."""
    domain, slash, _ = resource.partition("/")
    return bool(slash) and resource not in _PLAIN and not domain.endswith("kubernetes.io")


def network_finding(name: str, served: Iterable[ResourceType], apps: Iterable[str], version: str) -> Finding:
    """`apps` are what running pods have as their label `k8s-app`."""
    seen = {_ENFORCING_GROUPS[each.group] for each in served if each.group in _ENFORCING_GROUPS}
    seen |= {_ENFORCING_PODS[each] for each in apps if each in _ENFORCING_PODS}
    seen |= {who for mark, who in _ENFORCING_VERSIONS.items() if mark in version}
    if seen:
        return ok(name, f"{', '.join(sorted(seen))} is seen, which enforces NetworkPolicies")
    return warning(
        name,
        "no network plug-in is seen that is known to enforce NetworkPolicies: pods may reach anything",
        "install one that does (Calico, Cilium, Antrea, …), or make sure that yours does",
    )
