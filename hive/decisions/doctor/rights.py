"""What hive does on a hub and on a member, as the questions of SelfSubjectAccessReviews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hive.decisions.doctor.finding import Finding, ok, problem
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    CLUSTER_FACTS,
    DEPLOYMENTS,
    MANAGED_CLUSTERS,
    NAMESPACES,
    NETWORK_POLICIES,
    NODES,
    PODS,
    SANDBOX_REQUESTS,
    SECRETS,
    SERVICE_ACCOUNTS,
    VOLUME_CLAIMS,
    Manifest,
    ResourceType,
)

REVIEWS = ResourceType(
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", is_namespaced=False
)


@dataclass(frozen=True, slots=True)
class Right:
    """One verb on one kind; `namespace` empty: in all of them."""

    verb: str
    kind: ResourceType
    subresource: str = ""
    namespace: str = ""

    def __str__(self) -> str:
        """``patch bindings.control.kubestellar.io/status``, as `kubectl auth can-i` takes it."""
        group = f".{self.kind.group}" if self.kind.group else ""
        below = f"/{self.subresource}" if self.subresource else ""
        return f"{self.verb} {self.kind.plural}{group}{below}"

    def review(self) -> Manifest:
        attributes = {
            "verb": self.verb,
            "group": self.kind.group,
            "version": self.kind.version,
            "resource": self.kind.plural,
            "subresource": self.subresource,
            "namespace": self.namespace,
        }
        return {
            "apiVersion": REVIEWS.api_version,
            "kind": REVIEWS.kind,
            "metadata": {},
            "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
        }


def is_allowed(review: Manifest) -> bool:
    return (review.get("status") or {}).get("allowed") is True


def hub_rights(namespace: str) -> tuple[Right, ...]:
    """`namespace` is where sandbox requests live."""
    return (
        *_verbs(MANAGED_CLUSTERS, "list create patch"),
        Right("patch", MANAGED_CLUSTERS, "status"),
        *_verbs(CLUSTER_FACTS, "list"),
        *_verbs(BINDING_POLICIES, "get list create update delete"),
        Right("patch", BINDING_POLICIES, "status"),
        *_verbs(BINDINGS, "get list create update delete"),
        Right("patch", BINDINGS, "status"),
        *_verbs(NAMESPACES, "get create patch"),
        *_verbs(SANDBOX_REQUESTS, "list"),
        *_verbs(SANDBOX_REQUESTS, "get create patch delete", namespace),
        Right("patch", SANDBOX_REQUESTS, "status", namespace),
    )


def member_rights(namespace: str) -> tuple[Right, ...]:
    """What sandboxes in `namespace` need; workloads of an operator's own policies need more."""
    sandbox = (DEPLOYMENTS, VOLUME_CLAIMS, SERVICE_ACCOUNTS, NETWORK_POLICIES, SECRETS)
    return (
        *_verbs(NODES, "list"),
        *_verbs(PODS, "list"),
        *_verbs(NAMESPACES, "get create patch"),
        *(right for kind in sandbox for right in _verbs(kind, "list")),
        *(right for kind in sandbox for right in _verbs(kind, "get create patch delete", namespace)),
        # A WebSocket begins with GET; Kubernetes asks for `create` besides since 1.35 (its change log).
        Right("get", PODS, "exec", namespace),
        Right("create", PODS, "exec", namespace),
    )


def _verbs(kind: ResourceType, verbs: str, namespace: str = "") -> Iterator[Right]:
    return (Right(verb, kind, namespace=namespace) for verb in verbs.split())


def rights_finding(name: str, context: str, asked: int, denied: Iterable[Right]) -> Finding:
    missing = list(denied)
    if not missing:
        return ok(name, f"all {asked} that hive needs")
    listed = ", ".join(map(str, missing[:6])) + (f" and {len(missing) - 6} more" if len(missing) > 6 else "")
    remedy = f"let the user of context {context} do it: a ClusterRole with these verbs, bound to that user"
    return problem(name, f"it may not {listed}", remedy)
