from __future__ import annotations

import json
from itertools import permutations

import pytest
import yaml

from hive.surfaces.place import place_documents
from tests.surfaces.fleet_documents import (
    ALL,
    DEPLOYMENT,
    EAST,
    FACTS,
    NOW,
    POLICY,
    REQUEST,
    bytes_of,
    objects,
    place,
    problems,
    spoiled,
    where,
)

EVERYTHING = POLICY[: POLICY.index("downsync")] + 'downsync: [{resources: ["*"]}]\n'
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: oxen.farm.example.com}
spec:
  group: farm.example.com
  scope: Cluster
  names: {kind: Ox, plural: oxen}
"""


def named(api_version: str, kind: str, *, name: str = "x", namespace: str | None = None) -> str:
    place = f", namespace: {namespace}" if namespace is not None else ""
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}{place}}}\n"


def test_documents_come_in_any_order_and_in_any_number_of_files() -> None:
    expected, code = place(*ALL)
    for order in permutations(ALL):
        inputs = [(text.encode(), f"{place}.yaml") for place, text in enumerate(order)]
        answer, again = place_documents(inputs, now=NOW)
        assert (bytes_of(answer), again) == (bytes_of(expected), code)


def test_json_is_read_as_yaml_is() -> None:
    texts = [json.dumps(yaml.load(text, Loader=yaml.BaseLoader)) for text in ALL]
    inputs = [(text.encode(), f"{place}.json") for place, text in enumerate(texts)]
    assert place_documents(inputs, now=NOW) == place(*ALL)


def test_numbers_and_booleans_in_json_are_as_in_yaml() -> None:
    request = json.loads(json.dumps(yaml.safe_load(REQUEST)))
    request["spec"]["resources"]["cpu"] = 1.5
    request["spec"]["gpu"]["count"] = 4
    assert where(EAST, FACTS, json.dumps(request)) == (None, None)
    request["spec"]["gpu"]["count"] = 3
    assert where(EAST, FACTS, json.dumps(request)) == ("east", "n1-0")


def test_a_list_counts_as_its_items_also_inside_a_list() -> None:
    items = [yaml.load(text, Loader=yaml.BaseLoader) for text in ALL]
    inner = {"apiVersion": "v1", "kind": "List", "items": items[2:]}
    outer = {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": [*items[:2], inner]}
    assert place(json.dumps(outer)) == place(*ALL)


def test_a_typed_list_says_the_kind_of_its_items() -> None:
    cluster = yaml.load(EAST, Loader=yaml.BaseLoader)
    del cluster["apiVersion"], cluster["kind"]
    api_version = "cluster.open-cluster-management.io/v1"
    clusters = {"apiVersion": api_version, "kind": "ManagedClusterList", "items": [cluster]}
    assert place(json.dumps(clusters), *ALL[1:]) == place(*ALL)


def test_a_typed_list_of_hives_own_kind_is_read_as_strictly() -> None:
    request = yaml.load(REQUEST, Loader=yaml.BaseLoader)
    del request["apiVersion"], request["kind"]
    requests = {"apiVersion": "hive.fleet/v1alpha1", "kind": "SandboxRequestList", "items": [request]}
    assert place(EAST, FACTS, json.dumps(requests)) == place(EAST, FACTS, REQUEST)


def test_an_object_whose_kind_ends_in_list_is_one() -> None:
    allow_list = "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: x}\nitems: [a, b]\n"
    assert objects(EAST, EVERYTHING, allow_list) == ["example.com/v1/allowlists/default/x"]


@pytest.mark.parametrize("items", ["items: []", "items:", ""])
def test_an_empty_list_is_nothing(items: str) -> None:
    assert place(f"apiVersion: v1\nkind: List\n{items}\n") == place()


@pytest.mark.parametrize(
    ("api_version", "kind", "identity"),
    [
        ("apps/v1", "Deployment", "apps/v1/deployments/default/x"),
        ("v1", "ConfigMap", "v1/configmaps/default/x"),
        ("v1", "Namespace", "v1/namespaces//x"),
        ("v1", "PersistentVolume", "v1/persistentvolumes//x"),
        ("networking.k8s.io/v1", "NetworkPolicy", "networking.k8s.io/v1/networkpolicies/default/x"),
        ("networking.k8s.io/v1", "Ingress", "networking.k8s.io/v1/ingresses/default/x"),
        ("networking.k8s.io/v1", "IngressClass", "networking.k8s.io/v1/ingressclasses//x"),
        ("storage.k8s.io/v1", "StorageClass", "storage.k8s.io/v1/storageclasses//x"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "rbac.authorization.k8s.io/v1/clusterroles//x"),
        ("rbac.authorization.k8s.io/v1", "Role", "rbac.authorization.k8s.io/v1/roles/default/x"),
        ("scheduling.k8s.io/v1", "PriorityClass", "scheduling.k8s.io/v1/priorityclasses//x"),
        ("example.com/v1", "Box", "example.com/v1/boxes/default/x"),
        ("example.com/v1", "Batch", "example.com/v1/batches/default/x"),
        ("example.com/v1", "Gateway", "example.com/v1/gatewaies/default/x"),
        ("example.com/v1", "Dish", "example.com/v1/dishs/default/x"),
        ("agents.x-k8s.io/v1beta1", "Sandbox", "agents.x-k8s.io/v1beta1/sandboxes/default/x"),
    ],
)
def test_a_kind_has_a_plural_and_a_scope(api_version: str, kind: str, identity: str) -> None:
    assert objects(EAST, EVERYTHING, named(api_version, kind)) == [identity]


def test_a_crd_that_is_given_says_plural_and_scope_of_its_kind() -> None:
    ox = named("farm.example.com/v1", "Ox")
    crd = "apiextensions.k8s.io/v1/customresourcedefinitions//oxen.farm.example.com"
    assert objects(EAST, EVERYTHING, ox) == ["farm.example.com/v1/oxes/default/x"]
    assert objects(EAST, EVERYTHING, ox, CRD) == [crd, "farm.example.com/v1/oxen//x"]
    namespaced = spoiled(CRD, "scope: Cluster", "scope: Namespaced")
    assert objects(EAST, EVERYTHING, namespaced, ox) == [crd, "farm.example.com/v1/oxen/default/x"]


def test_a_cluster_scoped_object_has_no_namespace_whatever_it_says() -> None:
    assert objects(EAST, EVERYTHING, named("v1", "Namespace", namespace="shop")) == ["v1/namespaces//x"]


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Event"),
        ("events.k8s.io/v1", "Event"),
        ("v1", "Node"),
        ("v1", "Endpoints"),
        ("discovery.k8s.io/v1", "EndpointSlice"),
        ("coordination.k8s.io/v1", "Lease"),
        ("apiregistration.k8s.io/v1", "APIService"),
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
        ("storage.k8s.io/v1", "CSINode"),
        ("storage.k8s.io/v1", "CSIStorageCapacity"),
        ("control.kubestellar.io/v1alpha1", "StatusCollector"),
    ],
)
def test_some_kinds_are_never_bound(api_version: str, kind: str) -> None:
    assert objects(EAST, EVERYTHING, named(api_version, kind)) == []


def test_text_is_read_as_it_is_written() -> None:
    cluster = spoiled(EAST, "env: prod", "env: 0123456, on: yes, version: 3.10, big: 1e9, none: ~")
    wanted = "{matchLabels: {env: '0123456', on: 'yes', version: '3.10', big: '1e9', none: ''}}"
    assert where(
        cluster, FACTS, spoiled(REQUEST, "{matchLabels: {env: prod}, matchExpressions: []}", wanted)
    ) == (
        "east",
        "n1-0",
    )


def test_without_a_namespace_a_request_is_in_default() -> None:
    answer, _ = place(EAST, FACTS, spoiled(REQUEST, ", namespace: hive", ""))
    assert [each["request"] for each in answer["placements"]] == ["default/scanner-1"]


def test_what_is_left_out_of_a_request_is_asked_of_nobody() -> None:
    least = REQUEST[: REQUEST.index("  resources")] + "  tolerations: [{operator: Exists}]\n"
    assert where(EAST, FACTS, least) == ("east", "n1-0")


def test_a_gpu_without_a_count_is_one_of_nvidias() -> None:
    taken = spoiled(FACTS, 'nvidia.com/gpu: "1"', 'nvidia.com/gpu: "4"')
    least = spoiled(REQUEST, "gpu: {product: [NVIDIA-L4, NVIDIA-A10], memory: 20Gi, count: 1}", "gpu: {}")
    assert where(EAST, FACTS, least) == ("east", "n1-0")
    assert where(EAST, taken, least) == (None, None)
    assert where(EAST, taken, spoiled(least, "gpu: {}", "gpu: ~")) == ("east", "n1-0")


def test_any_product_will_do_where_none_is_named() -> None:
    assert where(EAST, FACTS, spoiled(REQUEST, "[NVIDIA-L4, NVIDIA-A10]", "[]")) == ("east", "n1-0")
    assert where(EAST, FACTS, spoiled(REQUEST, "[NVIDIA-L4, NVIDIA-A10]", "[NVIDIA-L40]")) == (None, None)


def test_a_count_of_nodes_is_so_many_each_its_own() -> None:
    requests = [
        spoiled(REQUEST, "scanner-1", f"s{each}").replace("count: 1", "count: 3") for each in range(4)
    ]
    answer, code = place(EAST, FACTS, *requests)
    assert sorted(str(each["node"]) for each in answer["placements"]) == ["None", "n1-0", "n1-1", "n1-2"]
    assert code == 1


def test_one_node_has_its_own_name() -> None:
    assert where(EAST, spoiled(FACTS, "      count: 3\n", ""), REQUEST) == ("east", "n1")


def test_facts_of_a_cluster_that_is_not_given_say_nothing() -> None:
    assert place(EAST, FACTS, spoiled(FACTS, "{name: east}", "{name: west}"), REQUEST)[1] == 0


def test_other_kinds_may_have_keys_that_hive_does_not_know() -> None:
    odd = "unheardOf: {of: [1, 2]}\n"
    assert (
        place(EAST + odd, FACTS, REQUEST, POLICY + odd + "status: {conditions: []}\n", DEPLOYMENT + odd)[1]
        == 0
    )


def test_a_condition_that_is_there_twice_is_true_only_if_both_are() -> None:
    both = spoiled(
        EAST,
        "conditions:\n",
        "conditions:\n    - {type: ManagedClusterConditionAvailable, status: Unknown}\n",
    )
    answer, _ = place(both, FACTS, REQUEST)
    assert answer["placements"][0]["why"] == {
        "east": "not: it is not known to be available (condition Unknown)"
    }


@pytest.mark.parametrize(
    ("old", "new"), [("  hubAcceptsClient: true\n", "  x: y\n"), ("Client: true", "Client: false")]
)
def test_a_cluster_must_say_that_it_was_accepted(old: str, new: str) -> None:
    answer, _ = place(spoiled(EAST, old, new), FACTS, REQUEST)
    assert answer["placements"][0]["why"] == {"east": "not: the hub has not accepted it"}


def test_what_kubernetes_adds_to_an_object_is_no_unknown_key() -> None:
    metadata = (
        "uid: u, generation: 2, resourceVersion: '7', creationTimestamp: 2026-11-30T11:00:00Z, "
        "managedFields: [{manager: x}], annotations: {a: b}, labels: {c: d}"
    )
    request = spoiled(REQUEST, "namespace: hive", f"namespace: hive, {metadata}") + "status: {phase: x}\n"
    assert where(EAST, FACTS, request) == ("east", "n1-0")


def test_null_is_the_same_as_left_out() -> None:
    policy = spoiled(POLICY, "apiGroup: apps", "apiGroup: ~").replace("createOnly: true", "createOnly: ~")
    answer, code = place(EAST, policy, DEPLOYMENT)
    assert answer["bindings"][0]["objects"] == ["apps/v1/deployments/shop/web"]
    assert not answer["bindings"][0]["modulation"]["apps/v1/deployments/shop/web"]["createOnly"]
    assert code == 0
    assert problems(EAST, FACTS, spoiled(REQUEST, "prefer: {strategy: bin-pack}", "prefer: ~")) == {}
