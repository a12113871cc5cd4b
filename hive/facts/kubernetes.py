"""Objects of Kubernetes as their JSON, and what names them.

A `Manifest` is the JSON of one object exactly as the API server gives or takes it: hive reads the few
fields that it needs and hands the rest on untouched, so a field of a newer server is never lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Manifest: TypeAlias = Mapping[str, Any]
"""One object's JSON. Values are what `json` makes of it: str, int, float, bool, None, list, dict."""


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A kind and where the API serves it.

    Attributes:
        group: Empty for the core group.
        plural: As in the path (``deployments``).
    """

    group: str
    version: str
    plural: str
    kind: str
    is_namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


NAMESPACES = ResourceType("", "v1", "namespaces", "Namespace", is_namespaced=False)
NODES = ResourceType("", "v1", "nodes", "Node", is_namespaced=False)
PODS = ResourceType("", "v1", "pods", "Pod")
SECRETS = ResourceType("", "v1", "secrets", "Secret")
CONFIG_MAPS = ResourceType("", "v1", "configmaps", "ConfigMap")
SERVICE_ACCOUNTS = ResourceType("", "v1", "serviceaccounts", "ServiceAccount")
VOLUME_CLAIMS = ResourceType("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
DEPLOYMENTS = ResourceType("apps", "v1", "deployments", "Deployment")
NETWORK_POLICIES = ResourceType("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy")
CUSTOM_RESOURCES = ResourceType(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", is_namespaced=False
)
MANAGED_CLUSTERS = ResourceType(
    "cluster.open-cluster-management.io", "v1", "managedclusters", "ManagedCluster", is_namespaced=False
)
BINDING_POLICIES = ResourceType(
    "control.kubestellar.io", "v1alpha1", "bindingpolicies", "BindingPolicy", is_namespaced=False
)
BINDINGS = ResourceType("control.kubestellar.io", "v1alpha1", "bindings", "Binding", is_namespaced=False)
SANDBOX_REQUESTS = ResourceType("hive.fleet", "v1alpha1", "sandboxrequests", "SandboxRequest")
CLUSTER_FACTS = ResourceType("hive.fleet", "v1alpha1", "clusterfacts", "ClusterFacts", is_namespaced=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """All objects of a kind, every page, and the version that a watch goes on from."""

    items: tuple[Manifest, ...]
    resource_version: str


class ChangeKind(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"
    """Carries a resource version and nothing else."""


@dataclass(frozen=True, slots=True)
class Change:
    kind: ChangeKind
    object: Manifest

    @property
    def resource_version(self) -> str:
        return str(self.object["metadata"]["resourceVersion"])


class Propagation(StrEnum):
    """What becomes of the objects that an object owns when it is deleted."""

    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


@dataclass(frozen=True, slots=True)
class PodRef:
    """A container of a pod; an empty `container` is the pod's only or default one."""

    namespace: str
    name: str
    container: str = ""


@dataclass(frozen=True, slots=True)
class ExecResult:
    """What a command in a pod left."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def name_of(manifest: Manifest) -> str:
    return str(manifest["metadata"]["name"])


def namespace_of(manifest: Manifest) -> str:
    """Empty for a cluster-scoped object."""
    return str(manifest["metadata"].get("namespace", ""))


def labels_of(manifest: Manifest) -> Mapping[str, str]:
    return manifest["metadata"].get("labels") or {}


def annotations_of(manifest: Manifest) -> Mapping[str, str]:
    return manifest["metadata"].get("annotations") or {}


def is_deleting(manifest: Manifest) -> bool:
    return bool(manifest["metadata"].get("deletionTimestamp"))
