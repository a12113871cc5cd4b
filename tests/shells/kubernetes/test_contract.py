"""What every API server keeps, on the one in memory and on a real kube-apiserver."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from hive.errors import Missing, Moved, Refused
from hive.facts.kubernetes import (
    BINDINGS,
    CONFIG_MAPS,
    CUSTOM_RESOURCES,
    DEPLOYMENTS,
    NAMESPACES,
    PODS,
    Change,
    ChangeKind,
    Manifest,
    Propagation,
    ResourceType,
    labels_of,
    name_of,
    namespace_of,
)
from hive.ports.kubernetes import Kubernetes
from hive.shells.kubernetes import KubernetesCluster
from tests.cluster.fixtures import cluster_run, control_plane
from tests.cluster.namespace import make
from tests.fakes.kubernetes import FakeKubernetes
from tests.shells.waiting import eventually

__all__ = ["cluster_run", "control_plane"]


@dataclass(frozen=True)
class Place:
    """A cluster, and a namespace in it that nobody else uses."""

    cluster: Kubernetes
    namespace: str

    def map(self, name: str, labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
        metadata: dict[str, Any] = {"name": name, "namespace": self.namespace}
        metadata |= {"labels": labels} if labels else {}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data or {"a": "1"}}

    def data(self, name: str) -> dict[str, str]:
        return dict(self.cluster.get(CONFIG_MAPS, name, self.namespace).get("data") or {})

    def names(self, **selectors: str) -> set[str]:
        found = self.cluster.list(CONFIG_MAPS, self.namespace, **selectors)
        return {name_of(one) for one in found.items} - {"kube-root-ca.crt"}


@pytest.fixture(params=["fake", pytest.param("server", marks=pytest.mark.cluster)])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "fake":
        fake = FakeKubernetes("east")
        fake.unserved.add(BINDINGS)
        fake.create(NAMESPACES, {"metadata": {"name": "test"}})
        yield Place(fake, "test")
        return
    plane = request.getfixturevalue("control_plane")
    cluster = KubernetesCluster.from_kubeconfig(plane.kubeconfig, plane.name)
    try:
        yield Place(cluster, make(plane.api))
    finally:
        cluster.close()


def version_of(manifest: Manifest) -> str:
    return str(manifest["metadata"]["resourceVersion"])


def test_it_says_its_version_and_the_kinds_that_it_serves(place: Place) -> None:
    assert place.cluster.version().startswith("v1.")
    served = place.cluster.resources()
    assert {CONFIG_MAPS, PODS, DEPLOYMENTS, NAMESPACES} <= set(served)
    assert len(served) == len(set(served))
    assert not any("/" in kind.plural for kind in served)


def test_what_is_created_is_there_with_what_the_server_adds(place: Place) -> None:
    made = place.cluster.create(CONFIG_MAPS, place.map("one", {"app": "x"}))
    metadata = made["metadata"]
    assert all(metadata[key] for key in ("uid", "creationTimestamp", "resourceVersion"))
    assert (name_of(made), namespace_of(made), labels_of(made)) == ("one", place.namespace, {"app": "x"})
    assert (made["apiVersion"], made["kind"]) == ("v1", "ConfigMap")
    assert place.cluster.get(CONFIG_MAPS, "one", place.namespace) == made


def test_a_name_can_be_made_from_its_beginning(place: Place) -> None:
    manifest = place.map("")
    manifest["metadata"] = {"generateName": "gen-", "namespace": place.namespace}
    name = name_of(place.cluster.create(CONFIG_MAPS, manifest))
    assert name.startswith("gen-")
    assert name != "gen-"


def test_a_name_is_taken_once(place: Place) -> None:
    place.cluster.create(CONFIG_MAPS, place.map("one"))
    with pytest.raises(Moved, match='"one" already exists'):
        place.cluster.create(CONFIG_MAPS, place.map("one", b="2"))
    assert place.data("one") == {"a": "1"}


def test_what_is_not_there_is_missing(place: Place) -> None:
    with pytest.raises(Missing, match='configmaps "nothing" not found'):
        place.cluster.get(CONFIG_MAPS, "nothing", place.namespace)
    with pytest.raises(Missing, match='configmaps "nothing" not found'):
        place.cluster.patch(CONFIG_MAPS, "nothing", {"data": {"a": "1"}}, place.namespace)
    manifest = place.map("one")
    manifest["metadata"]["namespace"] = "nowhere"
    with pytest.raises(Missing, match="nowhere"):
        place.cluster.create(CONFIG_MAPS, manifest)


def test_a_kind_that_is_not_served_is_missing(place: Place) -> None:
    with pytest.raises(Missing):
        place.cluster.list(BINDINGS)
    with pytest.raises(Missing):
        place.cluster.get(BINDINGS, "one")


def test_an_object_of_no_namespace_is_refused_before_anything_is_asked(place: Place) -> None:
    with pytest.raises(Refused, match="ConfigMap one: it is not said in which namespace"):
        place.cluster.get(CONFIG_MAPS, "one")
    with pytest.raises(Refused, match="ConfigMap one: it is not said in which namespace"):
        place.cluster.create(CONFIG_MAPS, {"metadata": {"name": "one"}})


def test_replacing_drops_what_is_not_there_any_more_and_takes_the_newest_version_only(place: Place) -> None:
    first = place.cluster.create(CONFIG_MAPS, place.map("one", a="1", b="1"))
    second = place.cluster.replace(CONFIG_MAPS, {**first, "data": {"b": "2"}})
    assert second["data"] == {"b": "2"}
    assert version_of(second) != version_of(first)
    with pytest.raises(Moved, match="the object has been modified"):
        place.cluster.replace(CONFIG_MAPS, {**first, "data": {"c": "3"}})
    assert place.data("one") == {"b": "2"}


def test_a_merge_patch_changes_what_it_names_and_null_deletes(place: Place) -> None:
    place.cluster.create(CONFIG_MAPS, place.map("one", a="1", b="1"))
    patched = place.cluster.patch(CONFIG_MAPS, "one", {"data": {"a": None, "c": "3"}}, place.namespace)
    assert patched["data"] == {"b": "1", "c": "3"}
    stale = {"metadata": {"resourceVersion": "1"}, "data": {"d": "4"}}
    with pytest.raises(Moved):
        place.cluster.patch(CONFIG_MAPS, "one", stale, place.namespace)


def test_a_list_is_narrowed_by_labels_fields_and_namespace(place: Place) -> None:
    for name, labels in (("one", {"app": "x", "env": "prod"}), ("two", {"app": "y"}), ("three", {})):
        place.cluster.create(CONFIG_MAPS, place.map(name, labels))
    assert place.names() == {"one", "two", "three"}
    assert place.names(labels="app") == {"one", "two"}
    assert place.names(labels="!app") == {"three"}
    assert place.names(labels="app in (x, z),env=prod") == {"one"}
    assert place.names(labels="app!=x") == {"two", "three"}
    assert place.names(labels="app notin (x)") == {"two", "three"}
    assert place.names(fields="metadata.name=two") == {"two"}
    everywhere = place.cluster.list(CONFIG_MAPS, labels="app in (x,y)").items
    assert {name_of(one) for one in everywhere if namespace_of(one) == place.namespace} == {"one", "two"}
    assert {(one["apiVersion"], one["kind"]) for one in everywhere} == {("v1", "ConfigMap")}


class Named(msgspec.Struct, frozen=True):
    class Metadata(msgspec.Struct, frozen=True):
        name: str

    metadata: Metadata
    data: dict[str, str] = {}


def test_a_list_can_be_read_in_part(place: Place) -> None:
    place.cluster.create(CONFIG_MAPS, place.map("one", {"app": "x"}))
    found = place.cluster.list_as(CONFIG_MAPS, Named, place.namespace, labels="app=x")
    assert found == (Named(Named.Metadata("one"), {"a": "1"}),)


def test_applying_twice_changes_nothing(place: Place) -> None:
    first = place.cluster.apply(CONFIG_MAPS, place.map("one"), manager="hive")
    assert place.cluster.apply(CONFIG_MAPS, place.map("one"), manager="hive") == first


def test_what_is_applied_no_more_is_taken_away_and_what_others_set_stays(place: Place) -> None:
    place.cluster.apply(CONFIG_MAPS, place.map("one", a="1", b="1"), manager="hive")
    place.cluster.patch(CONFIG_MAPS, "one", {"data": {"theirs": "1"}}, place.namespace)
    place.cluster.apply(CONFIG_MAPS, place.map("one", {"app": "x"}, b="1"), manager="hive")
    assert place.data("one") == {"b": "1", "theirs": "1"}
    place.cluster.apply(CONFIG_MAPS, place.map("one", b="1"), manager="hive")
    assert labels_of(place.cluster.get(CONFIG_MAPS, "one", place.namespace)) == {}


def test_a_field_of_another_manager_is_a_conflict_that_names_both_and_force_takes_it(place: Place) -> None:
    place.cluster.apply(CONFIG_MAPS, place.map("one", a="1"), manager="hive")
    with pytest.raises(Moved, match=r'conflict with "hive".*\.data\.a'):
        place.cluster.apply(CONFIG_MAPS, place.map("one", a="2"), manager="other")
    assert place.data("one") == {"a": "1"}
    place.cluster.apply(CONFIG_MAPS, place.map("one", a="2"), manager="other", force=True)
    assert place.data("one") == {"a": "2"}
    with pytest.raises(Moved, match='conflict with "other"'):
        place.cluster.apply(CONFIG_MAPS, place.map("one", a="1"), manager="hive")


def test_two_managers_of_one_value_keep_it_until_both_let_go(place: Place) -> None:
    for manager in ("hive", "other"):
        place.cluster.apply(CONFIG_MAPS, place.map("one", a="1"), manager=manager)
    place.cluster.apply(CONFIG_MAPS, place.map("one", b="1"), manager="hive")
    assert place.data("one") == {"a": "1", "b": "1"}
    place.cluster.apply(CONFIG_MAPS, place.map("one", b="1"), manager="other")
    assert place.data("one") == {"b": "1"}


def test_a_dry_run_answers_and_leaves_nothing(place: Place) -> None:
    assert place.cluster.create(CONFIG_MAPS, place.map("one"), dry_run=True)["data"] == {"a": "1"}
    assert place.cluster.apply(CONFIG_MAPS, place.map("two"), manager="hive", dry_run=True)
    assert place.names() == set()
    before = place.cluster.apply(CONFIG_MAPS, place.map("one"), manager="hive")
    changed = place.cluster.apply(CONFIG_MAPS, place.map("one", a="2"), manager="hive", dry_run=True)
    assert changed["data"] == {"a": "2"}
    assert place.cluster.get(CONFIG_MAPS, "one", place.namespace) == before


def deployment(place: Place, replicas: int = 1) -> dict[str, Any]:
    labels = {"app": "x"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "i:1"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": place.namespace},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod},
    }


def test_status_is_written_apart_and_only_the_rest_counts_as_a_generation(place: Place) -> None:
    first = place.cluster.apply(DEPLOYMENTS, deployment(place), manager="hive")
    assert first["metadata"]["generation"] == 1
    told = {"status": {"replicas": 1}, "spec": {"replicas": 5}}
    second = place.cluster.patch(DEPLOYMENTS, "d", told, place.namespace, subresource="status")
    assert (second["status"]["replicas"], second["spec"]["replicas"]) == (1, 1)
    assert second["metadata"]["generation"] == 1
    third = place.cluster.patch(DEPLOYMENTS, "d", {"status": {"replicas": 7}}, place.namespace)
    assert third["status"]["replicas"] == 1
    fourth = place.cluster.apply(DEPLOYMENTS, deployment(place, replicas=2), manager="hive")
    assert (fourth["metadata"]["generation"], fourth["spec"]["replicas"]) == (2, 2)
    assert fourth["status"]["replicas"] == 1


def test_containers_are_merged_by_their_name(place: Place) -> None:
    place.cluster.apply(DEPLOYMENTS, deployment(place), manager="hive")
    wanted = deployment(place)
    wanted["spec"] = {"template": {"spec": {"containers": [{"name": "b", "image": "j:1"}]}}}
    both = place.cluster.apply(DEPLOYMENTS, wanted, manager="other")
    images = {one["name"]: one["image"] for one in both["spec"]["template"]["spec"]["containers"]}
    assert images == {"a": "i:1", "b": "j:1"}


def test_a_finalizer_holds_an_object_back(place: Place) -> None:
    manifest = place.map("one")
    manifest["metadata"]["finalizers"] = ["hive.test/first"]
    place.cluster.create(CONFIG_MAPS, manifest)
    place.cluster.delete(CONFIG_MAPS, "one", place.namespace)
    assert place.cluster.get(CONFIG_MAPS, "one", place.namespace)["metadata"]["deletionTimestamp"]
    place.cluster.patch(CONFIG_MAPS, "one", {"metadata": {"finalizers": None}}, place.namespace)
    with pytest.raises(Missing):
        place.cluster.get(CONFIG_MAPS, "one", place.namespace)


def test_deleting_is_content_with_nothing_and_minds_whom_it_means(place: Place) -> None:
    place.cluster.delete(CONFIG_MAPS, "nothing", place.namespace)
    uid = place.cluster.create(CONFIG_MAPS, place.map("one"))["metadata"]["uid"]
    with pytest.raises(Moved, match=r"UID in (the )?precondition"):
        place.cluster.delete(CONFIG_MAPS, "one", place.namespace, uid="another")
    place.cluster.delete(CONFIG_MAPS, "one", place.namespace, uid=uid)
    assert place.names() == set()


def test_without_a_collector_an_owner_waits_in_the_foreground(place: Place) -> None:
    place.cluster.create(CONFIG_MAPS, place.map("one"))
    place.cluster.delete(CONFIG_MAPS, "one", place.namespace, propagation=Propagation.FOREGROUND)
    metadata = place.cluster.get(CONFIG_MAPS, "one", place.namespace)["metadata"]
    assert metadata["finalizers"] == ["foregroundDeletion"]
    assert metadata["deletionTimestamp"]


def brief(change: Change) -> tuple[str, str]:
    return change.kind.value, name_of(change.object)


def changes(stream: Iterator[Change], count: int) -> list[Change]:
    found: list[Change] = []
    while len(found) < count:
        change = next(stream)
        if change.kind is not ChangeKind.BOOKMARK:
            found.append(change)
    return found


def test_a_watch_tells_what_happens_after_a_version_in_its_order(place: Place) -> None:
    """Case 124: what happened before the list's own version is not told again."""
    place.cluster.create(CONFIG_MAPS, place.map("old"))
    place.cluster.create(CONFIG_MAPS, place.map("gone"))
    place.cluster.delete(CONFIG_MAPS, "gone", place.namespace)
    version = place.cluster.list(CONFIG_MAPS, place.namespace).resource_version
    place.cluster.create(CONFIG_MAPS, place.map("new"))
    with place.cluster.watch(CONFIG_MAPS, version, place.namespace, silence=30) as stream:
        place.cluster.patch(CONFIG_MAPS, "new", {"data": {"b": "2"}}, place.namespace)
        place.cluster.delete(CONFIG_MAPS, "new", place.namespace)
        place.cluster.create(CONFIG_MAPS, place.map("last"))
        found = changes(iter(stream), 4)
    assert [brief(one) for one in found] == [
        ("ADDED", "new"),
        ("MODIFIED", "new"),
        ("DELETED", "new"),
        ("ADDED", "last"),
    ]
    assert found[1].object["data"] == {"a": "1", "b": "2"}
    assert found[3].resource_version == version_of(place.cluster.get(CONFIG_MAPS, "last", place.namespace))


def test_to_a_watch_with_a_selector_an_object_that_stops_matching_is_gone(place: Place) -> None:
    version = place.cluster.list(CONFIG_MAPS, place.namespace).resource_version
    with place.cluster.watch(CONFIG_MAPS, version, place.namespace, labels="app=x", silence=30) as stream:
        place.cluster.create(CONFIG_MAPS, place.map("other"))
        place.cluster.create(CONFIG_MAPS, place.map("one", {"app": "x"}))
        place.cluster.patch(CONFIG_MAPS, "one", {"metadata": {"labels": {"app": "y"}}}, place.namespace)
        place.cluster.patch(CONFIG_MAPS, "one", {"metadata": {"labels": {"app": "x"}}}, place.namespace)
        found = [brief(one) for one in changes(iter(stream), 3)]
    assert found == [("ADDED", "one"), ("DELETED", "one"), ("ADDED", "one")]


def test_a_watch_that_waits_ends_when_another_thread_closes_it(place: Place) -> None:
    version = place.cluster.list(CONFIG_MAPS, place.namespace).resource_version
    with place.cluster.watch(CONFIG_MAPS, version, place.namespace, silence=60) as stream:
        waits = threading.Thread(target=lambda: list(stream))
        waits.start()
        stream.close()
        waits.join(timeout=20)
        assert not waits.is_alive()
    stream.close()


def test_a_quiet_watch_ends_by_itself(place: Place) -> None:
    version = place.cluster.list(CONFIG_MAPS, place.namespace).resource_version
    with place.cluster.watch(CONFIG_MAPS, version, place.namespace, silence=1.6) as stream:
        assert [one for one in stream if one.kind is not ChangeKind.BOOKMARK] == []


WIDGETS = ResourceType("hive.test", "v1", "widgets", "Widget")


def definition() -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    spec = {"group": "hive.test", "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": "widgets.hive.test"}, "spec": spec}


def is_served(place: Place) -> bool:
    try:
        return bool(place.cluster.list(WIDGETS).resource_version)
    except Missing:
        return False


def test_a_watch_from_a_version_that_is_forgotten_says_so(place: Place) -> None:
    """A kind that is new: the server remembers nothing of it from before."""
    place.cluster.create(CUSTOM_RESOURCES, definition())
    eventually(lambda: is_served(place), within=60, what="a kind of its definition")
    if isinstance(place.cluster, FakeKubernetes):
        place.cluster.compact()
    with (
        pytest.raises(Moved, match="too old resource version"),
        place.cluster.watch(WIDGETS, "1", place.namespace, silence=30) as stream,
    ):
        list(stream)
