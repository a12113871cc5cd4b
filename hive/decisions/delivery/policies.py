"""The BindingPolicy that hive writes for a sandbox request, and what names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hive.decisions.delivery.marks import CLUSTER, MANAGED_BY, MANAGER, REQUEST, REQUEST_UID
from hive.facts.fleet import SandboxRequest
from hive.facts.kubernetes import BINDING_POLICIES, SANDBOX_REQUESTS, Manifest, annotations_of, name_of

_LONGEST_NAME = 253
_LONGEST_LABEL = 63


@dataclass(frozen=True, slots=True)
class Claim:
    """A request that wants a policy of its name.

    Attributes:
        since: ``metadata.creationTimestamp``: the earlier of two of one name has it.
    """

    request: SandboxRequest
    uid: str
    since: str


def policy_manifest(claim: Claim, cluster: str | None) -> dict[str, Any]:
    """Selects the one cluster, or none where the request may be nowhere."""
    request = claim.request
    selectors = [{"matchLabels": {CLUSTER: cluster}}] if cluster is not None else []
    clause = {
        "apiGroup": SANDBOX_REQUESTS.group,
        "resources": [SANDBOX_REQUESTS.plural],
        "namespaces": [request.namespace],
        "objectNames": [request.name],
    }
    return {
        "apiVersion": BINDING_POLICIES.api_version,
        "kind": BINDING_POLICIES.kind,
        "metadata": {
            "name": request.binding,
            "labels": {MANAGED_BY: MANAGER},
            "annotations": {REQUEST: request.key, REQUEST_UID: claim.uid},
        },
        "spec": {"clusterSelectors": selectors, "downsync": [clause]},
    }


def request_key_of(policy: Manifest) -> str | None:
    """The request that hive wrote it for; None for a policy of somebody else."""
    return annotations_of(policy).get(REQUEST)


def cluster_of(policy: Manifest) -> str | None:
    """Where a policy of hive's own sends its request; None for nowhere."""
    for selector in (policy.get("spec") or {}).get("clusterSelectors") or ():
        name = (selector.get("matchLabels") or {}).get(CLUSTER)
        if name is not None:
            return str(name)
    return None


def unnamed(claims: Iterable[Claim], policies: Mapping[str, Manifest]) -> dict[str, str]:
    """Requests that cannot have their name, by key, and why: ``a-b/c`` and ``a/b-c`` would share one."""
    refused: dict[str, str] = {}
    owners: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda each: (each.since, each.request.key)):
        request = claim.request
        policy = policies.get(request.binding)
        if len(request.binding) > _LONGEST_NAME:
            refused[request.key] = (
                f"namespace and name have more than {_LONGEST_NAME - 1} characters; take a shorter name"
            )
        elif len(request.namespace) > _LONGEST_LABEL:
            refused[request.key] = "its namespace's name is too long for one"
        elif request.binding in owners:
            other = owners[request.binding].request.key
            refused[request.key] = f"its Binding '{request.binding}' is that of {other}; take another name"
        elif policy is not None and request_key_of(policy) is None:
            refused[request.key] = (
                f"there is a BindingPolicy '{name_of(policy)}' that hive did not write; take another name"
            )
        else:
            owners[request.binding] = claim
    return refused
