"""The kinds of the fleet, as a real API server takes them (facts H1, H2 and H7 of KubeStellar's)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from hive.decisions.definitions import DefinitionState
from hive.errors import Refused
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    CLUSTER_FACTS,
    CUSTOM_RESOURCES,
    MANAGED_CLUSTERS,
    NAMESPACES,
    SANDBOX_REQUESTS,
    Manifest,
    ResourceType,
    labels_of,
    name_of,
)
from hive.fleet.definitions import install, shipped
from hive.ports.kubernetes import Kubernetes
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.cluster.control_plane import ControlPlane

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]
_NUMBERS = count(1)


def connected(plane: ControlPlane) -> KubernetesCluster:
    return KubernetesCluster.from_kubeconfig(plane.kubeconfig, plane.name)


@pytest.fixture(scope="module")
def hub(control_plane: ControlPlane) -> Iterator[Kubernetes]:
    """The shared API server, with the kinds of the fleet."""
    cluster = connected(control_plane)
    assert install(cluster, shipped(), "hive").is_complete
    yield cluster
    cluster.close()


def named(kind: ResourceType, **more: Any) -> Manifest:
    """A manifest of a name of its own, in the namespace `hive` where it needs one."""
    metadata = {"name": f"it-{next(_NUMBERS)}", **({"namespace": "hive"} if kind.is_namespaced else {})}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **more}


def policy(**spec: Any) -> Manifest:
    return named(BINDING_POLICIES, spec=spec)


def test_what_is_absent_is_installed_and_what_is_there_is_left_alone(
    fresh_control_plane: Callable[[], ControlPlane],
) -> None:
    cluster = connected(fresh_control_plane())
    names = [name_of(each) for each in shipped()]

    dry = install(cluster, shipped(), "hive", dry_run=True)
    assert [(each.name, each.state) for each in dry.definitions] == [
        (name, DefinitionState.CREATED) for name in names
    ]
    assert cluster.list(CUSTOM_RESOURCES).items == ()

    first = install(cluster, shipped(), "hive")
    assert (first.is_complete, first.made_namespace) == (True, True)
    assert {each.state for each in first.definitions} == {DefinitionState.CREATED}
    there = cluster.list(CUSTOM_RESOURCES).items
    assert sorted(map(name_of, there)) == names
    conditions = [each for crd in there for each in crd["status"]["conditions"]]
    assert [each for each in conditions if each["type"] == "NonStructuralSchema"] == []
    assert labels_of(cluster.get(NAMESPACES, "hive"))["app.kubernetes.io/managed-by"] == "hive"

    again = install(cluster, shipped(), "hive")
    assert [(each.state, each.owner, each.message) for each in again.definitions] == [
        (DefinitionState.PRESENT, "hive", "") for _ in names
    ]
    assert not again.made_namespace
    cluster.close()


def test_a_definition_of_others_with_another_schema_is_named_and_never_touched(
    fresh_control_plane: Callable[[], ControlPlane],
) -> None:
    cluster = connected(fresh_control_plane())
    theirs = {**next(each for each in shipped() if name_of(each).startswith("bindingpolicies"))}
    theirs["metadata"] = {"name": name_of(theirs)}
    version = {**theirs["spec"]["versions"][0]}
    open_schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version["schema"] = {"openAPIV3Schema": open_schema}
    theirs["spec"] = {**theirs["spec"], "versions": [version]}
    cluster.apply(CUSTOM_RESOURCES, theirs, manager="Binding")

    outcome = install(cluster, [each for each in shipped() if name_of(each) == name_of(theirs)], "hive")
    (found,) = outcome.definitions
    assert (found.state, found.owner, found.message) == (
        DefinitionState.DIFFERENT,
        "Binding",
        "its schema is another than hive's",
    )
    assert outcome.is_complete
    kept = cluster.get(CUSTOM_RESOURCES, name_of(theirs))["spec"]["versions"][0]["schema"]
    assert kept == {"openAPIV3Schema": open_schema}
    cluster.close()


SELECTOR = {
    "matchLabels": {"env": "prod"},
    "matchExpressions": [{"key": "a/b", "operator": "In", "values": ["c"]}],
}

ACCEPTED: dict[str, dict[str, Any]] = {
    # H1
    "no clusters": {},
    "an empty list of selectors": {"clusterSelectors": []},
    "the empty selector": {"clusterSelectors": [{}]},
    "labels and expressions": {"clusterSelectors": [SELECTOR, SELECTOR]},
    # H2: what is not checked
    "In without values": {"clusterSelectors": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]},
    "Exists with values": {
        "clusterSelectors": [{"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}]
    },
    "an ill-formed key of matchLabels": {"clusterSelectors": [{"matchLabels": {"-a": "b"}}]},
    "a broken selector of objects": {
        "downsync": [{"objectSelectors": [{"matchExpressions": [{"key": "-a", "operator": "OutOf"}]}]}]
    },
    "a broken selector of namespaces": {
        "downsync": [{"namespaceSelectors": [{"matchLabels": {"a": "b c"}}]}]
    },
    # H7
    "any resource": {"downsync": [{"resources": ["*"]}]},
    "no resource": {"downsync": [{"resources": []}]},
    "the core group": {"downsync": [{"apiGroup": ""}]},
    "every test and modulation": {
        "downsync": [
            {
                "apiGroup": "apps",
                "resources": ["deployments"],
                "namespaces": ["a"],
                "namespaceSelectors": [{}],
                "objectNames": ["b"],
                "objectSelectors": [SELECTOR],
                "createOnly": True,
                "statusCollectors": ["c"],
                "wantSingletonReportedState": True,
                "wantMultiWECReportedState": False,
            }
        ]
    },
}

REFUSED: dict[str, dict[str, Any]] = {
    # H2
    "an unknown operator": {"clusterSelectors": [{"matchExpressions": [{"key": "a", "operator": "OutOf"}]}]},
    "a value with a comma": {"clusterSelectors": [{"matchLabels": {"a": "b,c"}}]},
    "a value with a blank": {
        "clusterSelectors": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b c"]}]}]
    },
    "a key that starts with a hyphen": {
        "clusterSelectors": [{"matchExpressions": [{"key": "-a", "operator": "Exists"}]}]
    },
    # H7
    "a clause that tests nothing": {"downsync": [{}]},
    "a clause that only modulates": {"downsync": [{"createOnly": True}]},
    "a null group": {"downsync": [{"apiGroup": None}]},
    "an unknown field": {"downsync": [{"resources": ["*"], "junk": 1}]},
    "the old nesting of status collection": {"downsync": [{"resources": ["*"], "statusCollection": {}}]},
    "a number of clusters": {"numberOfClusters": 1},
}


@pytest.mark.parametrize("spec", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_policy_that_kubestellar_takes_is_taken(hub: Kubernetes, spec: dict[str, Any]) -> None:
    hub.create(BINDING_POLICIES, policy(**spec), dry_run=True)


@pytest.mark.parametrize("spec", REFUSED.values(), ids=REFUSED.keys())
def test_a_policy_that_kubestellar_refuses_is_refused(hub: Kubernetes, spec: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        hub.create(BINDING_POLICIES, policy(**spec), dry_run=True)


def test_a_status_of_a_policy_or_binding_says_which_generation_it_is_of(hub: Kubernetes) -> None:
    for kind in (BINDING_POLICIES, BINDINGS):
        made = hub.create(kind, named(kind, spec={}))
        with pytest.raises(Refused, match="observedGeneration"):
            hub.patch(kind, name_of(made), {"status": {"errors": ["x"]}}, subresource="status")
        status = {"observedGeneration": 1, "errors": [], "conditions": []}
        after = hub.patch(kind, name_of(made), {"status": status, "spec": None}, subresource="status")
        assert (after["status"], after["spec"]) == (status, {})
        hub.delete(kind, name_of(made))


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {
        "group": "apps",
        "version": "v1",
        "resource": "deployments",
        "namespace": "ns",
        "name": name,
        "resourceVersion": "7",
        **more,
    }


def test_a_binding_lists_each_object_and_each_cluster_once(hub: Kubernetes) -> None:
    objects = [entry("a", createOnly=True, statusCollectors=["c"]), entry("b")]
    spec = {"workload": {"namespaceScope": objects}, "destinations": [{"clusterId": "c1"}]}
    hub.create(BINDINGS, named(BINDINGS, spec=spec), dry_run=True)
    twice = {"workload": {"namespaceScope": [entry("a"), entry("a", version="v2")]}}
    same = {"destinations": [{"clusterId": "c1"}, {"clusterId": "c1"}]}
    wrongs: list[dict[str, Any]] = [twice, same, {"destinations": [{}]}]
    for wrong in wrongs:
        with pytest.raises(Refused):
            hub.create(BINDINGS, named(BINDINGS, spec=wrong), dry_run=True)


REQUEST = {
    "template": "gpu",
    "parameters": {"disk": "5Gi", "replicas": 1, "fast": True},
    "resources": {"cpu": 2, "memory": "4Gi"},
    "gpu": {"product": ["NVIDIA-L4"], "memory": "20Gi", "count": 1},
    "clusters": {"matchLabels": {"env": "prod"}, "matchExpressions": [{"key": "a", "operator": "In"}]},
    "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}],
    "prefer": {"strategy": "spread", "topologyKey": "region"},
}


def test_a_request_is_taken_as_hive_place_reads_it_and_keeps_its_status_apart(hub: Kubernetes) -> None:
    made = hub.create(SANDBOX_REQUESTS, named(SANDBOX_REQUESTS, spec=REQUEST))
    assert (made["spec"], made["metadata"]["generation"]) == (REQUEST, 1)
    status = {"phase": "ready", "cluster": "east", "why": {"east": "chosen"}, "pod": {"name": "p"}}
    name = name_of(made)
    after = hub.patch(SANDBOX_REQUESTS, name, {"status": status}, "hive", subresource="status")
    assert (after["status"], after["metadata"]["generation"]) == (status, 1)
    hub.delete(SANDBOX_REQUESTS, name, "hive")


@pytest.mark.parametrize(
    "wrong",
    [
        {"template": ""},
        {"gpu": {"count": 0}},
        {"gpu": {"product": "NVIDIA-L4"}},
        {"prefer": {"strategy": "binpack"}},
        {"clusters": {"matchExpressions": [{"key": "a", "operator": "OneOf"}]}},
        {"tolerations": [{"effect": "Never"}]},
        {"resources": {"cpu": ["2"]}},
        {"gpus": 1},
    ],
)
def test_a_request_that_cannot_be_read_is_refused(hub: Kubernetes, wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        hub.create(SANDBOX_REQUESTS, named(SANDBOX_REQUESTS, spec={**REQUEST, **wrong}), dry_run=True)


OTHERS: list[dict[str, Any]] = [
    {
        "kind": "ManagedCluster",
        "spec": {
            "hubAcceptsClient": True,
            "taints": [{"key": "a/b", "effect": "NoSelect", "timeAdded": None}],
        },
    },
    {"kind": "ManagedClusterSet", "spec": {"clusterSelector": {"selectorType": "LabelSelector"}}},
    {
        "kind": "ClusterFacts",
        "spec": {"observedAt": "2026-11-30T12:00:00Z", "nodes": [{"name": "n", "count": 2}]},
    },
    {"kind": "StatusCollector", "spec": {"limit": 20, "select": [{"name": "a", "def": "returned.status"}]}},
    {
        "kind": "CustomTransform",
        "spec": {"apiGroup": "apps", "resource": "deployments", "remove": ["$.spec"]},
    },
    {
        "kind": "CombinedStatus",
        "results": [{"name": "c", "columnNames": ["a"], "rows": [{"columns": [{"type": "Null"}]}]}],
    },
    {
        "kind": "WorkStatus",
        "spec": {"sourceRef": {"group": "", "namespace": "ns"}},
        "status": {"any": {"thing": 1}},
    },
    {"kind": "Placement", "spec": {"predicates": [{"requiredClusterSelector": {"labelSelector": {}}}]}},
    {"kind": "PlacementDecision"},
    {
        "kind": "ManifestWork",
        "spec": {
            "workload": {
                "manifests": [
                    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}
                ]
            }
        },
    },
    {"kind": "Sandbox", "spec": {"podTemplate": {"spec": {"containers": [{"name": "c"}]}}, "service": False}},
    {"kind": "SandboxTemplate", "spec": {"podTemplate": {"spec": {"containers": []}}}},
    {
        "kind": "SandboxClaim",
        "spec": {"warmPoolRef": {"name": "w"}, "lifecycle": {"shutdownPolicy": "Delete"}},
    },
    {"kind": "SandboxWarmPool", "spec": {"replicas": 1, "sandboxTemplateRef": {"name": "t"}}},
    {"kind": "Cluster", "spec": {"paused": False, "topology": {"version": "v1.36.3"}}},
]


def kind_of(name: str) -> ResourceType:
    definition = next(each for each in shipped() if each["spec"]["names"]["kind"] == name)
    spec = definition["spec"]
    version = spec["versions"][0]["name"]
    return ResourceType(spec["group"], version, spec["names"]["plural"], name, spec["scope"] == "Namespaced")


@pytest.mark.parametrize("content", OTHERS, ids=lambda each: each["kind"])
def test_every_kind_takes_an_object_as_its_project_writes_it(
    hub: Kubernetes, content: dict[str, Any]
) -> None:
    kind = kind_of(content["kind"])
    more = {key: value for key, value in content.items() if key != "kind"}
    made = hub.create(kind, named(kind, **more), dry_run=True)
    assert made["kind"] == kind.kind
    with pytest.raises(Refused, match="junk"):
        hub.create(kind, named(kind, **{**more, "junk": 1}), dry_run=True)


def test_hive_and_its_definitions_mean_the_same_resources() -> None:
    for kind in (MANAGED_CLUSTERS, BINDING_POLICIES, BINDINGS, SANDBOX_REQUESTS, CLUSTER_FACTS):
        assert kind_of(kind.kind) == kind
