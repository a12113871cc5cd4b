"""Clusters, what runs on them, and what wants to run there.

The nouns are KubeStellar's, OCM's and Kubernetes' own, and keep their spelling. Amounts of resources are
whole numbers of billionths (`UNIT` is one core, byte or device): the finest step of a Kubernetes quantity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

UNIT = 1_000_000_000
"""One core, byte or device, in billionths."""

Amount: TypeAlias = int
"""Of a resource, in billionths of its unit."""


class Operator(StrEnum):
    """What a selector's expression asks of a label."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"


@dataclass(frozen=True, slots=True)
class Requirement:
    key: str
    operator: Operator
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Labels and expressions, all of which must hold; an empty one selects everything."""

    labels: tuple[tuple[str, str], ...] = ()
    expressions: tuple[Requirement, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.labels and not self.expressions


@dataclass(frozen=True, slots=True)
class Taint:
    """Of a node (NoSchedule, PreferNoSchedule, NoExecute) or of an OCM cluster (NoSelect,
    PreferNoSelect, NoSelectIfNew)."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Toleration:
    """Of taints of nodes and clusters alike. An empty key or effect stands for any."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A member's node as it was seen.

    Attributes:
        requested: By everything that runs there, hive's own sandboxes included. What it does not name
            was not counted.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, Amount] = field(default_factory=dict)
    requested: Mapping[str, Amount] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen inside a member cluster, and when (UTC, the observer's clock)."""

    cluster: str
    at: datetime
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """An OCM ManagedCluster.

    Attributes:
        available: The status of its condition ManagedClusterConditionAvailable (True, False, Unknown);
            None where it has none.
        seen: The last look inside; None where there was none.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    is_accepted: bool = True
    is_deleting: bool = False
    available: str | None = "True"
    seen: Observation | None = None


@dataclass(frozen=True, slots=True)
class GpuNeed:
    """GPUs that one sandbox wants.

    Attributes:
        products: Whole names as the vendor's discovery writes them, any of which will do; none: any.
        memory: At least this much (bytes, as an `Amount`) on each device.
        resource: The extended resource that counts them.
    """

    count: int = 1
    products: tuple[str, ...] = ()
    memory: Amount = 0
    resource: str = "nvidia.com/gpu"


class Strategy(StrEnum):
    BIN_PACK = "bin-pack"
    SPREAD = "spread"


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """One sandbox that wants a place.

    Attributes:
        topology_key: The label of clusters over whose values `Strategy.SPREAD` spreads; None: clusters.
        parameters: Of the template; what is not among them has the template's default.
    """

    namespace: str
    name: str
    template: str
    resources: Mapping[str, Amount] = field(default_factory=dict)
    gpu: GpuNeed | None = None
    clusters: LabelSelector = LabelSelector()
    tolerations: tuple[Toleration, ...] = ()
    strategy: Strategy = Strategy.BIN_PACK
    topology_key: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def binding(self) -> str:
        """The name of its Binding."""
        return f"{self.namespace}-{self.name}"


@dataclass(frozen=True, slots=True)
class RequestBinding:
    """A Binding of the last round: which requests it lists (``NAMESPACE/NAME``), and where it put them."""

    name: str
    requests: frozenset[str]
    clusters: frozenset[str]


@dataclass(frozen=True, slots=True)
class WorkloadObject:
    """A Kubernetes object that policies may send to clusters; `namespace` is empty for cluster-scoped."""

    group: str
    version: str
    resource: str
    namespace: str
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """``apps/v1/deployments/ns/name``, ``v1/namespaces//name``."""
        return object_id(self.group, self.version, self.resource, self.namespace, self.name)


def object_id(group: str, version: str, resource: str, namespace: str, name: str) -> str:
    return "/".join([*([group] if group else []), version, resource, namespace, name])


@dataclass(frozen=True, slots=True)
class Modulation:
    """How an object is sent, and what comes back of it."""

    create_only: bool = False
    status_collectors: frozenset[str] = frozenset()
    wants_singleton_status: bool = False
    wants_multi_cluster_status: bool = False

    def with_more(self, other: Modulation) -> Modulation:
        """Both together, as when two clauses of a policy match one object."""
        return Modulation(
            self.create_only or other.create_only,
            self.status_collectors | other.status_collectors,
            self.wants_singleton_status or other.wants_singleton_status,
            self.wants_multi_cluster_status or other.wants_multi_cluster_status,
        )


@dataclass(frozen=True, slots=True)
class DownsyncClause:
    """A test of objects, all of whose criteria must hold, and how what passes is sent.

    Attributes:
        api_group: Exact; empty for the core group, None for any.
        is_test: Whether any criterion was written down at all; a clause without one is refused.
    """

    api_group: str | None = None
    resources: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    namespace_selectors: tuple[LabelSelector, ...] = ()
    object_names: tuple[str, ...] = ()
    object_selectors: tuple[LabelSelector, ...] = ()
    modulation: Modulation = Modulation()
    is_test: bool = True


@dataclass(frozen=True, slots=True)
class BindingPolicy:
    """KubeStellar's: which objects go to which clusters. Clauses and selectors are alternatives.

    Attributes:
        is_inert: It is being deleted, or given twice: it binds nothing.
    """

    name: str
    cluster_selectors: tuple[LabelSelector, ...] = ()
    downsync: tuple[DownsyncClause, ...] = ()
    is_inert: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one object, and what to write instead."""

    object: str
    message: str


@dataclass(frozen=True, slots=True)
class Fleet:
    """All that placement decides on. The order within each means nothing."""

    clusters: tuple[Cluster, ...] = ()
    requests: tuple[SandboxRequest, ...] = ()
    policies: tuple[BindingPolicy, ...] = ()
    objects: tuple[WorkloadObject, ...] = ()
    last: tuple[RequestBinding, ...] = ()
