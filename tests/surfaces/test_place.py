from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from hive import assets, documents
from hive.surfaces.place import place_documents, render_place, templates
from hive.surfaces.schemas import SCHEMAS
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

MODULATION = {
    "createOnly": True,
    "statusCollectors": ["a", "z"],
    "wantSingletonReportedState": False,
    "wantMultiWECReportedState": False,
}
BINDING = """\
apiVersion: control.kubestellar.io/v1alpha1
kind: Binding
metadata: {name: hive-scanner-1, ownerReferences: []}
spec:
  destinations: [{clusterId: west}]
  workload:
    namespaceScope:
      - group: hive.fleet
        version: v1alpha1
        resource: sandboxrequests
        namespace: hive
        name: scanner-1
        resourceVersion: "7"
"""
WEST = spoiled(EAST, "name: east", "name: west")
WEST_FACTS = spoiled(FACTS, "{name: east}", "{name: west}")


def test_the_whole_answer() -> None:
    answer, code = place(*ALL)
    expected = {
        "bindings": [
            {
                "policy": "p",
                "clusters": ["east"],
                "objects": ["apps/v1/deployments/shop/web"],
                "modulation": {"apps/v1/deployments/shop/web": MODULATION},
            }
        ],
        "placements": [
            {
                "request": "hive/scanner-1",
                "cluster": "east",
                "node": "n1-0",
                "why": {"east": "chosen: it is the only one that fits, on node n1-0"},
            }
        ],
        "problems": [],
    }
    assert (answer, code) == (expected, 0)
    assert bytes_of(answer) == bytes_of(expected)


def test_nothing_given_is_nothing_decided() -> None:
    nothing: dict[str, Any] = {"bindings": [], "placements": [], "problems": []}
    assert place_documents([], now=NOW) == (nothing, 0)
    assert place("", "# only a comment\n", "---\n...\n") == (nothing, 0)
    assert render_place(nothing) == "nothing to place"


def test_a_request_without_a_place_exits_one() -> None:
    answer, code = place(EAST, FACTS, spoiled(REQUEST, 'cpu: "2"', 'cpu: "99"'))
    assert (answer["placements"][0]["cluster"], answer["placements"][0]["node"], code) == (None, None, 1)
    assert answer["problems"] == []


def test_a_problem_exits_one_though_all_is_placed() -> None:
    answer, code = place(*ALL, spoiled(REQUEST, "template: gpu", "template: tpu").replace("scanner-1", "s2"))
    assert [each["request"] for each in answer["placements"]] == ["hive/scanner-1"]
    assert answer["placements"][0]["cluster"] == "east"
    assert answer["problems"] == [
        {
            "object": "hive.fleet/v1alpha1/sandboxrequests/hive/s2",
            "message": "there is no template 'tpu'; there are: cpu, gpu",
        }
    ]
    assert code == 1


def test_lists_are_in_plain_string_order() -> None:
    names = ("c2", "c10", "C1")
    texts = [
        *(spoiled(EAST, "name: east", f"name: {name}") for name in names),
        *(spoiled(POLICY, "name: p", f"name: {name}") for name in names),
        *(spoiled(REQUEST, "scanner-1", name) for name in names),
        *(spoiled(DEPLOYMENT, "name: web", f"name: {name}") for name in names),
        *(spoiled(REQUEST, "scanner-1", f"bad{name}").replace("20Gi", "x") for name in names),
    ]
    answer, _ = place(*texts)
    assert [each["policy"] for each in answer["bindings"]] == ["C1", "c10", "c2"]
    assert answer["bindings"][0]["clusters"] == ["C1", "c10", "c2"]
    assert [each.rpartition("/")[2] for each in answer["bindings"][0]["objects"]] == ["C1", "c10", "c2"]
    assert list(answer["bindings"][0]["modulation"]) == answer["bindings"][0]["objects"]
    assert [each["request"] for each in answer["placements"]] == ["hive/C1", "hive/c10", "hive/c2"]
    assert [each["object"].rpartition("/")[2] for each in answer["problems"]] == ["badC1", "badc10", "badc2"]


def test_the_caller_says_how_old_an_observation_may_be() -> None:
    old = spoiled(FACTS, "11:59:30Z", "12:50:00+01:00")
    assert where(EAST, old, REQUEST) == (None, None)
    assert where(EAST, old, REQUEST, stale_after=timedelta(minutes=10)) == ("east", "n1-0")


def test_at_most_fifty_clusters_are_explained_unless_all_are_asked_for() -> None:
    clusters = [spoiled(EAST, "name: east", f"name: c{each}") for each in range(59)]
    few, _ = place(*ALL, *clusters)
    every, _ = place(*ALL, *clusters, why_all=True)
    assert len(few["placements"][0]["why"]) == 50
    assert len(every["placements"][0]["why"]) == 60
    assert "east" in few["placements"][0]["why"]


def test_the_last_round_keeps_a_request_where_it_is() -> None:
    both = (EAST, FACTS, WEST, WEST_FACTS, REQUEST)
    assert where(*both) == ("east", "n1-0")
    assert where(*both, BINDING) == ("west", "n1-0")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hive-scanner-1", "scanner-1"),
        ("name: scanner-1", "name: other"),
        ("namespace: hive", "namespace: other"),
        ("sandboxrequests", "deployments"),
        ("hive.fleet", "apps"),
        ("clusterId: west", "clusterId: gone"),
        ("spec:", "other:"),
    ],
)
def test_a_binding_that_belongs_to_nothing_is_ignored(old: str, new: str) -> None:
    texts = (EAST, FACTS, WEST, WEST_FACTS, REQUEST, spoiled(BINDING, old, new))
    assert where(*texts) == ("east", "n1-0")
    assert problems(*texts) == {}


def test_a_taint_for_the_new_spares_what_is_there() -> None:
    tainted = spoiled(WEST, "  hub", "  taints: [{key: x, effect: NoSelectIfNew}]\n  hub")
    assert where(tainted, WEST_FACTS, REQUEST) == (None, None)
    assert where(tainted, WEST_FACTS, REQUEST, BINDING) == ("west", "n1-0")


def test_a_policy_may_bind_the_namespaces_whose_labels_matter() -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: a}}\n"
    clause = "downsync: [{namespaceSelectors: [{matchLabels: {team: a}}]}, {resources: [namespaces]}]\n"
    policy = POLICY[: POLICY.index("downsync")] + clause
    assert objects(EAST, policy, DEPLOYMENT) == []
    assert objects(EAST, policy, DEPLOYMENT, namespace) == [
        "apps/v1/deployments/shop/web", "v1/namespaces//shop",
    ]  # fmt: skip


def test_every_namespace_carries_its_name_as_a_label() -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
    by_name = "[{matchLabels: {kubernetes.io/metadata.name: shop}}]"
    clauses = f"downsync: [{{namespaceSelectors: {by_name}}}, {{objectSelectors: {by_name}}}]\n"
    policy = POLICY[: POLICY.index("downsync")] + clauses
    assert objects(EAST, policy, DEPLOYMENT, namespace) == [
        "apps/v1/deployments/shop/web", "v1/namespaces//shop",
    ]  # fmt: skip


def test_inventory_and_requests_are_no_workload() -> None:
    policy = POLICY[: POLICY.index("downsync")] + 'downsync: [{resources: ["*"]}]\n'
    assert objects(EAST, FACTS, REQUEST, BINDING, policy, DEPLOYMENT) == ["apps/v1/deployments/shop/web"]


def test_a_policy_that_is_being_deleted_has_an_empty_entry() -> None:
    deleted = spoiled(POLICY, "{name: p}", "{name: p, deletionTimestamp: 2026-11-30T11:00:00Z}")
    answer, code = place(EAST, deleted, DEPLOYMENT)
    empty: dict[str, Any] = {"policy": "p", "clusters": [], "objects": [], "modulation": {}}
    assert (answer["bindings"], code) == ([empty], 0)


def test_a_cluster_that_is_being_deleted_is_chosen_by_nothing() -> None:
    deleted = spoiled(EAST, "  labels", "  deletionTimestamp: 2026-11-30T11:00:00Z\n  labels")
    answer, _ = place(deleted, FACTS, REQUEST, POLICY, DEPLOYMENT)
    assert answer["bindings"][0]["clusters"] == []
    assert answer["placements"][0]["why"] == {"east": "not: it is being deleted"}


def test_an_object_that_is_being_deleted_is_bound_until_it_is_gone() -> None:
    deleted = spoiled(DEPLOYMENT, "{name", "{deletionTimestamp: 2026-11-30T11:00:00Z, name")
    assert objects(EAST, POLICY, deleted) == ["apps/v1/deployments/shop/web"]


def test_a_request_that_is_being_deleted_asks_for_no_place() -> None:
    deleted = spoiled(REQUEST, "{name", "{deletionTimestamp: 2026-11-30T11:00:00Z, name")
    assert place(EAST, FACTS, deleted)[0]["placements"] == []


def test_a_person_reads_the_same_facts() -> None:
    bad = spoiled(REQUEST, "template: gpu", "template: tpu").replace("scanner-1", "s2")
    answer, _ = place(*ALL, bad, WEST)
    assert render_place(answer).splitlines() == [
        "policy p binds 1 object to east, west",
        "  apps/v1/deployments/shop/web (createOnly; statusCollectors: a, z)",
        "request hive/scanner-1: east, node n1-0",
        "  east  chosen: it is the only one that fits, on node n1-0",
        "  west  not: nothing was observed in it",
        "problem hive.fleet/v1alpha1/sandboxrequests/hive/s2: "
        "there is no template 'tpu'; there are: cpu, gpu",
    ]


def test_a_person_is_told_where_there_is_no_place() -> None:
    answer, _ = place(REQUEST, spoiled(POLICY, "env: prod", "env: none"))
    assert render_place(answer).splitlines() == [
        "policy p binds 0 objects to no cluster",
        "request hive/scanner-1: no place",
    ]


def test_the_answer_is_as_its_schema_says() -> None:
    answer, _ = place(*ALL, WEST, spoiled(REQUEST, "scanner-1", "s2").replace("20Gi", "x"))
    jsonschema_rs.validate(SCHEMAS["place-output"](), answer)


@pytest.mark.parametrize(("name", "text"), [("cluster-facts", FACTS), ("sandbox-request", REQUEST)])
def test_the_schemas_of_hives_own_kinds_accept_them(name: str, text: str) -> None:
    document = yaml.load(text, Loader=yaml.BaseLoader)
    jsonschema_rs.validate(SCHEMAS[name](), document)
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(SCHEMAS[name](), {**document, "spce": {}})


@pytest.mark.parametrize("text", [*ALL, BINDING])
def test_the_schema_of_the_input_accepts_each_document(text: str) -> None:
    words = json.dumps(yaml.load(text, Loader=yaml.BaseLoader))
    document = json.loads(words.replace('"true"', "true"))
    jsonschema_rs.validate(SCHEMAS["place"](), document)
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(SCHEMAS["place"](), {key: document[key] for key in document if key != "kind"})


@pytest.mark.parametrize("text", [FACTS, REQUEST, POLICY])
def test_the_schema_of_the_input_refuses_an_unknown_key_where_hive_knows_all(text: str) -> None:
    document = yaml.load(text, Loader=yaml.BaseLoader)
    document["spec"]["unheardOf"] = "x"
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(SCHEMAS["place"](), document)


def test_the_schema_of_a_policys_spec_accepts_one() -> None:
    jsonschema_rs.validate(SCHEMAS["binding-policy-spec"](), yaml.safe_load(POLICY)["spec"])


@pytest.mark.parametrize("name", templates())
def test_each_template_is_called_by_its_files_name(name: str) -> None:
    source = f"sandbox-templates/{name}.yaml"
    template = documents.read(assets.data(source), source).value
    assert isinstance(template, dict)
    assert set(template) == {"name", "description", "parameters", "objects"}
    assert template["name"] == name
    assert isinstance(template["parameters"], dict)
    for parameter in template["parameters"].values():
        assert isinstance(parameter, dict)
        assert parameter["type"] in ("string", "quantity", "integer", "boolean", "enum")
        assert parameter["description"]


def test_there_is_a_template_with_and_one_without_gpus() -> None:
    assert templates() == ("cpu", "gpu")
    assert Path(assets.path("sandbox-templates")).is_dir()


def test_a_count_and_a_quantity_may_be_numbers_to_an_editor() -> None:
    spec = {"nodes": [{"name": "n", "count": 3, "allocatable": {"cpu": 16, "memory": "64Gi"}}]}
    document = {"apiVersion": "hive.fleet/v1alpha1", "kind": "ClusterFacts", "spec": spec}
    jsonschema_rs.validate(SCHEMAS["cluster-facts"](), document)
