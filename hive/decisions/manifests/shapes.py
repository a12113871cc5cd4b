"""The documents of which hive knows every key: its own two kinds, and a BindingPolicy's spec.

An unknown key or enumerated value and a time without zone are errors of the text. A wrong value (a
quantity, a count, a missing name) is the object's own problem: `fact` raises `ValueError` for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from hive.decisions.placement.quantities import parse_size
from hive.documents.models import StrictModel
from hive.documents.values import Flag, Time
from hive.facts.fleet import (
    Amount,
    BindingPolicy,
    DownsyncClause,
    GpuNeed,
    LabelSelector,
    Modulation,
    Node,
    Observation,
    Operator,
    Requirement,
    SandboxRequest,
    Strategy,
    Taint,
    Toleration,
)
from hive.facts.kubernetes import Manifest

_MOST_NODES = 10_000
"""In a cluster: twice what Kubernetes supports."""

Quantity = Annotated[str, WithJsonSchema({"type": ["string", "number"]})]
"""As it is written; whether it is one, `fact` says."""
Count = Annotated[str, WithJsonSchema({"type": ["string", "integer"]})]
"""The same."""


class MetadataShape(StrictModel):
    """Kubernetes' ObjectMeta, of which hive reads name and namespace."""

    name: str | None = None
    namespace: str | None = None
    labels: dict[str, str | None] | None = None
    annotations: dict[str, str | None] | None = None
    generate_name: Any = Field(default=None, alias="generateName")
    uid: Any = None
    resource_version: Any = Field(default=None, alias="resourceVersion")
    generation: Any = None
    creation_timestamp: Any = Field(default=None, alias="creationTimestamp")
    deletion_timestamp: Time | None = Field(default=None, alias="deletionTimestamp")
    deletion_grace_period: Any = Field(default=None, alias="deletionGracePeriodSeconds")
    owner_references: Any = Field(default=None, alias="ownerReferences")
    finalizers: Any = None
    managed_fields: Any = Field(default=None, alias="managedFields")


class TaintShape(StrictModel):
    key: str
    value: str | None = None
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]
    time_added: Time | None = Field(default=None, alias="timeAdded")

    def fact(self) -> Taint:
        return Taint(self.key, self.value or "", self.effect)


class NodeShape(StrictModel):
    """One node, or `count` nodes that are alike."""

    name: str | None = None
    count: Count | None = None
    labels: dict[str, str] | None = None
    taints: list[TaintShape] | None = None
    allocatable: dict[str, Quantity] | None = None
    requested: dict[str, Quantity] | None = None

    def facts(self, where: str) -> Iterator[Node]:
        if not self.name:
            raise ValueError(f"{where} has no name")
        count = whole(self.count, f"{where}.count", most=_MOST_NODES)
        labels = self.labels or {}
        taints = tuple(each.fact() for each in self.taints or ())
        allocatable = amounts(self.allocatable, f"{where}.allocatable")
        requested = amounts(self.requested, f"{where}.requested")
        for number in range(count):
            name = self.name if count == 1 else f"{self.name}-{number}"
            yield Node(name, labels, taints, allocatable, requested)


class ClusterFactsSpec(StrictModel):
    observed_at: Time | None = Field(default=None, alias="observedAt")
    nodes: list[NodeShape] | None = None


class ClusterFactsShape(StrictModel):
    """What was observed in the ManagedCluster of the same name."""

    api_version: Literal["hive.fleet/v1alpha1"] = Field(alias="apiVersion")
    kind: Literal["ClusterFacts"]
    metadata: MetadataShape = MetadataShape()
    spec: ClusterFactsSpec = ClusterFactsSpec()
    status: Any = None

    def fact(self) -> Observation:
        if self.spec.observed_at is None:
            raise ValueError("spec.observedAt is missing; write the time of the observation")
        nodes: list[Node] = []
        names: set[str] = set()
        for place, each in enumerate(self.spec.nodes or ()):
            for node in each.facts(f"spec.nodes[{place}]"):
                if node.name in names:
                    raise ValueError(
                        f"spec.nodes: there are two nodes '{node.name}'; give each a name of its own"
                    )
                names.add(node.name)
                nodes.append(node)
            if len(nodes) > _MOST_NODES:
                raise ValueError(f"spec.nodes: there are more than {_MOST_NODES}; no cluster has so many")
        return Observation(self.metadata.name or "", self.spec.observed_at, tuple(nodes))


class ExpressionShape(StrictModel):
    key: str = Field(default="", description="Of the label.")
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"] = Field(description="What is asked of it.")
    values: list[str] | None = Field(default=None, description="With In and NotIn only.")


class SelectorShape(StrictModel):
    """Kubernetes' LabelSelector."""

    match_labels: dict[str, str] | None = Field(
        default=None, alias="matchLabels", description="Labels and their values, all of which must be there."
    )
    match_expressions: list[ExpressionShape] | None = Field(
        default=None, alias="matchExpressions", description="Requirements, all of which must hold."
    )

    def fact(self) -> LabelSelector:
        labels = tuple(sorted((self.match_labels or {}).items()))
        expressions = tuple(
            Requirement(each.key, Operator(each.operator), tuple(each.values or ()))
            for each in self.match_expressions or ()
        )
        return LabelSelector(labels, expressions)


class GpuShape(StrictModel):
    product: list[str] | None = Field(
        default=None, description="Whole names as the vendor's discovery writes them, any of which will do."
    )
    memory: Quantity | None = Field(default=None, description="At least so much, on each device.")
    count: Count | None = Field(default=None, description="How many; left out: 1.")
    resource: str | None = Field(
        default=None, description="The extended resource that counts them; left out: nvidia.com/gpu."
    )

    def fact(self) -> GpuNeed:
        if self.resource == "":
            raise ValueError("spec.gpu.resource is empty; write it like nvidia.com/gpu")
        return GpuNeed(
            whole(self.count, "spec.gpu.count", most=1_000_000),
            tuple(self.product or ()),
            amount(self.memory, "spec.gpu.memory") if self.memory is not None else 0,
            self.resource or "nvidia.com/gpu",
        )


class TolerationShape(StrictModel):
    key: str | None = Field(default=None, description="Of the taint; left out: any.")
    operator: Literal["Equal", "Exists"] | None = Field(default=None, description="Left out: Equal.")
    value: str | None = Field(default=None, description="Of the taint, with Equal.")
    effect: (
        Literal[
            "", "NoSchedule", "PreferNoSchedule", "NoExecute", "NoSelect", "PreferNoSelect", "NoSelectIfNew"
        ]
        | None
    ) = Field(default=None, description="Of the taint; left out: any.")

    def fact(self, where: str) -> Toleration:
        if self.operator == "Exists" and self.value:
            raise ValueError(f"{where}: Exists takes no value; leave it out, or write Equal")
        return Toleration(self.key or "", self.operator or "Equal", self.value or "", self.effect or "")


class PreferShape(StrictModel):
    strategy: Literal["bin-pack", "spread"] | None = Field(default=None, description="Left out: bin-pack.")
    topology_key: str | None = Field(
        default=None, alias="topologyKey", description="The label of clusters that spread is over."
    )


class SandboxRequestSpec(StrictModel):
    template: str | None = None
    resources: dict[str, Quantity] | None = None
    gpu: GpuShape | None = None
    clusters: SelectorShape | None = None
    tolerations: list[TolerationShape] | None = None
    prefer: PreferShape | None = None
    parameters: dict[str, str] | None = None

    def fact(self, namespace: str, name: str) -> SandboxRequest:
        if self.template is None:
            raise ValueError("spec.template is missing; name a sandbox template")
        prefer = self.prefer or PreferShape()
        return SandboxRequest(
            namespace=namespace,
            name=name,
            template=self.template,
            resources=amounts(self.resources, "spec.resources"),
            gpu=self.gpu.fact() if self.gpu else None,
            clusters=(self.clusters or SelectorShape()).fact(),
            tolerations=tuple(
                each.fact(f"spec.tolerations[{place}]") for place, each in enumerate(self.tolerations or ())
            ),
            strategy=Strategy(prefer.strategy or Strategy.BIN_PACK),
            topology_key=prefer.topology_key or None,
            parameters=self.parameters or {},
        )

    def manifest(self) -> Manifest:
        """As the API server takes it: what was left out stays left out, and a count is a number."""
        written = self.model_dump(by_alias=True, exclude_none=True)
        if self.gpu is not None and self.gpu.count is not None:
            written["gpu"]["count"] = int(self.gpu.count)
        return written


class SandboxRequestShape(StrictModel):
    """One sandbox that wants a place."""

    api_version: Literal["hive.fleet/v1alpha1"] = Field(alias="apiVersion")
    kind: Literal["SandboxRequest"]
    metadata: MetadataShape = MetadataShape()
    spec: SandboxRequestSpec = SandboxRequestSpec()
    status: Any = None

    def fact(self) -> SandboxRequest:
        return self.spec.fact(self.metadata.namespace or "default", self.metadata.name or "")


class ClauseShape(StrictModel):
    """A downsync clause: a test of objects, and how what passes it is sent."""

    api_group: str | None = Field(default=None, alias="apiGroup")
    resources: list[str] | None = None
    namespaces: list[str] | None = None
    namespace_selectors: list[SelectorShape] | None = Field(default=None, alias="namespaceSelectors")
    object_names: list[str] | None = Field(default=None, alias="objectNames")
    object_selectors: list[SelectorShape] | None = Field(default=None, alias="objectSelectors")
    create_only: Flag | None = Field(default=None, alias="createOnly")
    status_collectors: list[str] | None = Field(default=None, alias="statusCollectors")
    singleton: Flag | None = Field(default=None, alias="wantSingletonReportedState")
    multi: Flag | None = Field(default=None, alias="wantMultiWECReportedState")

    def fact(self) -> DownsyncClause:
        tests = (self.resources, self.namespaces, self.namespace_selectors, self.object_names)
        return DownsyncClause(
            api_group=self.api_group,
            resources=tuple(self.resources or ()),
            namespaces=tuple(self.namespaces or ()),
            namespace_selectors=_selectors(self.namespace_selectors),
            object_names=tuple(self.object_names or ()),
            object_selectors=_selectors(self.object_selectors),
            modulation=Modulation(
                self.create_only or False,
                frozenset(self.status_collectors or ()),
                self.singleton or False,
                self.multi or False,
            ),
            # The API server drops a null before it looks whether a test is there.
            is_test=any(each is not None for each in (self.api_group, self.object_selectors, *tests)),
        )


class BindingPolicySpec(StrictModel):
    """The spec of KubeStellar's BindingPolicy."""

    cluster_selectors: list[SelectorShape] | None = Field(default=None, alias="clusterSelectors")
    downsync: list[ClauseShape] | None = None

    def fact(self, name: str, *, is_inert: bool) -> BindingPolicy:
        clauses = tuple(each.fact() for each in self.downsync or ())
        return BindingPolicy(name, _selectors(self.cluster_selectors), clauses, is_inert)


def amounts(given: dict[str, str] | None, where: str) -> dict[str, Amount]:
    return {name: amount(text, f"{where} {name}") for name, text in (given or {}).items()}


def amount(text: str, where: str) -> Amount:
    try:
        return parse_size(text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def whole(text: str | None, where: str, *, most: int) -> int:
    """A count from 1 to `most`; 1 where none is given."""
    if text is None:
        return 1
    if re.fullmatch(r"[0-9]{1,9}", text) is None or not 1 <= int(text) <= most:
        raise ValueError(f"{where}: '{text}' is no count; write a whole number from 1 to {most}")
    return int(text)


def _selectors(shapes: list[SelectorShape] | None) -> tuple[LabelSelector, ...]:
    return tuple(each.fact() for each in shapes or ())
