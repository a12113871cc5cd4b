"""Bindings: KubeStellar's order and words, and hive's record."""

from __future__ import annotations

from typing import Any

from hive.decisions.delivery.bindings import (
    Bound,
    binding_manifest,
    binding_spec,
    delivered_kinds,
    delivered_to,
    is_same_spec,
    restored,
    with_record,
    without_finalizer,
)
from hive.decisions.delivery.marks import label_value, marked
from hive.facts.fleet import Modulation
from hive.facts.kubernetes import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, Manifest, ResourceType

POLICY: Manifest = {"metadata": {"name": "p", "uid": "u"}}
PLAIN = Modulation()


def bound(kind: ResourceType, namespace: str, name: str, modulation: Modulation = PLAIN) -> Bound:
    metadata = {"name": name, "resourceVersion": "7", **({"namespace": namespace} if namespace else {})}
    return Bound(kind, {"metadata": metadata}, modulation)


def test_a_spec_is_in_kubestellars_order_and_leaves_out_what_is_not_asked_for() -> None:
    objects = [
        bound(DEPLOYMENTS, "a", "d", Modulation(True, frozenset({"z", "a"}))),
        bound(CONFIG_MAPS, "a", "x"),
        bound(CONFIG_MAPS, "a-b", "x"),
        bound(NAMESPACES, "", "a"),
    ]
    spec = binding_spec(objects, ["c2", "c10", "c1"])
    assert [each["clusterId"] for each in spec["destinations"]] == ["c1", "c10", "c2"]
    assert spec["workload"]["clusterScope"] == [
        {"group": "", "version": "v1", "resource": "namespaces", "name": "a", "resourceVersion": "7"}
    ]
    entries = spec["workload"]["namespaceScope"]
    assert [(each["resource"], each["namespace"]) for each in entries] == [
        ("configmaps", "a-b"),
        ("configmaps", "a"),
        ("deployments", "a"),
    ]
    assert "createOnly" not in entries[0]
    assert (entries[2]["createOnly"], entries[2]["statusCollectors"]) == (True, ["a", "z"])
    assert binding_spec([], []) == {"workload": {}}


def test_another_version_of_an_object_is_no_other_spec() -> None:
    one, other = (binding_spec([bound(CONFIG_MAPS, "a", "x")], ["c1"]) for _ in range(2))
    other["workload"]["namespaceScope"][0]["resourceVersion"] = "8"
    assert is_same_spec(one, other)
    assert not is_same_spec(one, binding_spec([bound(CONFIG_MAPS, "a", "x")], ["c2"]))


def test_a_binding_is_restored_with_its_record_and_what_others_put_on_it() -> None:
    wanted = binding_manifest(POLICY, binding_spec([bound(CONFIG_MAPS, "a", "x")], ["c1"]))
    found: dict[str, Any] = with_record(wanted, ["c1"], [CONFIG_MAPS])  # type: ignore[assignment]  # a dict
    assert restored(found, wanted) == found
    edited = {
        **found,
        "metadata": {
            **found["metadata"],
            "labels": {"theirs": "yes"},
            "finalizers": ["theirs"],
            "ownerReferences": [],
        },
        "spec": {"workload": {}, "destinations": [{"clusterId": "c9"}]},
    }
    again = restored(edited, wanted)
    assert again["spec"] == wanted["spec"]
    assert again["metadata"]["labels"]["theirs"] == "yes"
    assert again["metadata"]["finalizers"] == ["theirs", "hive.fleet/delivery"]
    assert again["metadata"]["ownerReferences"] == wanted["metadata"]["ownerReferences"]
    assert delivered_to(again) == {"c1"}


def test_the_record_names_clusters_and_kinds_and_is_read_as_it_was_written() -> None:
    binding = binding_manifest(POLICY, {"workload": {}})
    assert not delivered_to(binding)
    assert not delivered_kinds(binding)
    noted = with_record(binding, {"west", "east"}, {CONFIG_MAPS, NAMESPACES})
    assert noted["metadata"]["annotations"]["hive.fleet/delivered-to"] == "east,west"
    assert delivered_to(noted) == {"east", "west"}
    assert delivered_kinds(noted) == {CONFIG_MAPS, NAMESPACES}
    assert with_record(noted, {"east", "west"}, {NAMESPACES, CONFIG_MAPS}) is noted
    broken = {"metadata": {"annotations": {"hive.fleet/delivered-kinds": "what,a/b,/v1/x//Cluster"}}}
    assert delivered_kinds(broken) == frozenset()
    assert without_finalizer(noted)["metadata"]["finalizers"] == []


def test_a_label_takes_any_name_and_no_two_names_share_one() -> None:
    assert label_value("hive-trainer") == "hive-trainer"
    long = ["a" * 63, "a" * 64, "a" * 65, f"{'a' * 45}-{'b' * 40}"]
    values = [label_value(each) for each in long]
    assert all(len(each) <= 63 for each in values)
    assert len(set(values)) == 4
    assert "--" not in values[3]


def test_equal_content_has_equal_marks_and_pods_carry_them_where_asked() -> None:
    deployment = {
        "kind": "Deployment",
        "metadata": {"name": "d", "labels": {"app": "d"}},
        "spec": {"template": {"metadata": {"labels": {"app": "d"}}, "spec": {}}},
    }
    marks = {"binding": "b", "policy_uid": "u", "object_id": "o"}
    one = marked(deployment, **marks, with_pods=True)
    assert one == marked(dict(reversed(deployment.items())), **marks, with_pods=True)
    labels = {"app": "d", "hive.fleet/binding": "b", "app.kubernetes.io/managed-by": "hive"}
    assert one["metadata"]["labels"] == one["spec"]["template"]["metadata"]["labels"] == labels
    other = marked(deployment, **marks, with_pods=False)
    assert other["spec"] == deployment["spec"]
    digests = {each["metadata"]["annotations"]["hive.fleet/content"] for each in (one, other)}
    assert len(digests) == 2
    assert deployment["metadata"] == {"name": "d", "labels": {"app": "d"}}
    assert marked(one, **marks, with_pods=True) == one
