"""What a Kubernetes kind is called as a resource, and whether it lives in namespaces.

An API server's discovery would say both. Without one a CRD that is given says it, else Kubernetes' own
kinds are known here, and any other kind is taken for a namespaced one, as most are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

CRD = ("apiextensions.k8s.io", "CustomResourceDefinition")
_IRREGULAR = {("", "Endpoints"): "endpoints", ("hive.fleet", "ClusterFacts"): "clusterfacts"}
_CLUSTER_SCOPED = {
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "authentication.k8s.io": "SelfSubjectReview TokenReview",
    "authorization.k8s.io": "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "cluster.open-cluster-management.io": "ManagedCluster ManagedClusterSet",
    "control.kubestellar.io": "Binding BindingPolicy CustomTransform StatusCollector",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "gateway.networking.k8s.io": "GatewayClass",
    "hive.fleet": "ClusterFacts",
    "internal.apiserver.k8s.io": "StorageVersion",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
    "work.open-cluster-management.io": "AppliedManifestWork",
}
_BUILT_IN = frozenset((group, kind) for group, kinds in _CLUSTER_SCOPED.items() for kind in kinds.split())


@dataclass(frozen=True, slots=True)
class Defined:
    """What a CRD says of its kind."""

    group: str
    kind: str
    plural: str
    is_namespaced: bool


@dataclass(frozen=True, slots=True)
class Kinds:
    """Kubernetes' own kinds, and those of the CRDs that were given."""

    defined: Mapping[tuple[str, str], Defined] = field(default_factory=dict)

    def resource(self, group: str, kind: str) -> str:
        """``deployments`` for ``Deployment``."""
        known = self.defined.get((group, kind))
        return known.plural if known else _IRREGULAR.get((group, kind)) or _plural(kind.lower())

    def is_namespaced(self, group: str, kind: str) -> bool:
        known = self.defined.get((group, kind))
        return known.is_namespaced if known else (group, kind) not in _BUILT_IN


def kinds_of(crds: Iterable[Defined]) -> Kinds:
    """Where two define one kind, the plural that comes first in plain string order counts."""
    ordered = sorted(crds, key=lambda each: (each.plural, each.is_namespaced), reverse=True)
    return Kinds({(each.group, each.kind): each for each in ordered})


def _plural(word: str) -> str:
    if word.endswith("y"):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch")) else f"{word}s"
