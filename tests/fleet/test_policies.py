"""BindingPolicies of people's own: what they match goes to the clusters that they choose, and away again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hive.facts.fleet_sighting import FleetSighting
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    Manifest,
    ResourceType,
    annotations_of,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
)
from tests.fleet.world import World, everything, find

JOBS = ResourceType("batch", "v1", "jobs", "Job")
ALL: dict[str, Any] = {"clusterSelectors": [{}]}
CONFIG: dict[str, Any] = {
    "downsync": [
        {"apiGroup": "", "resources": ["configmaps"], "objectSelectors": [{"matchLabels": {"to": "all"}}]}
    ]
}


def world_with_config(*names: str) -> World:
    world = World(*(names or ("east", "west")))
    for each in world.servers:
        namespaces = {name_of(one) for one in each.list(NAMESPACES).items}
        for namespace in ("a", "a-b"):
            if namespace not in namespaces:
                each.create(NAMESPACES, {"metadata": {"name": namespace}})
    config(world, "a", "settings", colour="red")
    world.policy("settings", **ALL, **CONFIG)
    world.settle()
    return world


def config(world: World, namespace: str, name: str, **data: str) -> Manifest:
    metadata = {"name": name, "namespace": namespace, "labels": {"to": "all"}}
    return world.hub.create(CONFIG_MAPS, {"metadata": metadata, "data": data})


def delivered(world: World, cluster: str, kind: ResourceType = CONFIG_MAPS) -> dict[str, Manifest]:
    return {
        f"{namespace_of(each)}/{name_of(each)}": each for each in everything(world.members[cluster], kind)
    }


def messages(sighting: FleetSighting, policy: str) -> list[str]:
    subject = f"control.kubestellar.io/v1alpha1/bindingpolicies//{policy}"
    return [each.message for each in sighting.problems if each.object == subject]


def errors(world: World, policy: str) -> list[str]:
    return list((world.hub.get(BINDING_POLICIES, policy).get("status") or {}).get("errors") or ())


def test_what_a_policy_matches_is_on_every_cluster_that_it_chooses() -> None:
    world = world_with_config()
    for cluster in ("east", "west"):
        (one,) = delivered(world, cluster).values()
        assert one["data"] == {"colour": "red"}
        assert labels_of(one)["hive.fleet/binding"] == "settings"
        assert annotations_of(one)["hive.fleet/object"] == "v1/configmaps/a/settings"
    assert errors(world, "settings") == []
    binding = world.hub.get(BINDINGS, "settings")
    assert binding["spec"]["destinations"] == [{"clusterId": "east"}, {"clusterId": "west"}]


def test_a_change_on_the_hub_is_followed_and_an_object_that_leaves_is_removed() -> None:
    world = world_with_config()
    world.hub.patch(CONFIG_MAPS, "settings", {"data": {"colour": "blue"}}, "a")
    world.settle()
    assert delivered(world, "east")["a/settings"]["data"] == {"colour": "blue"}
    world.hub.patch(CONFIG_MAPS, "settings", {"metadata": {"labels": {"to": None}}}, "a")
    world.settle()
    assert delivered(world, "east") == delivered(world, "west") == {}


def test_two_objects_of_one_name_in_two_namespaces_never_mix() -> None:
    world = world_with_config()
    config(world, "a-b", "settings", colour="green")
    world.settle()
    assert {key: each["data"] for key, each in delivered(world, "east").items()} == {
        "a/settings": {"colour": "red"},
        "a-b/settings": {"colour": "green"},
    }
    world.hub.delete(CONFIG_MAPS, "settings", "a")
    world.settle()
    assert list(delivered(world, "east")) == ["a-b/settings"]


def test_deleting_a_policy_removes_it_everywhere_also_from_a_member_that_was_away() -> None:
    world = world_with_config()
    world.cut_off("west")
    world.hub.delete(BINDING_POLICIES, "settings")
    sighting = world.settle()
    assert delivered(world, "east") == {}
    assert list(delivered(world, "west")) == ["a/settings"]
    binding = world.hub.get(BINDINGS, "settings")
    assert is_deleting(binding)
    (told,) = (each.message for each in sighting.problems if each.object.endswith("bindings//settings"))
    assert told.startswith("west cannot be seen since 2026-11-30T12:")
    assert binding["status"]["errors"] == [told]
    world.start()  # nothing is remembered but what the hub says
    world.bring_back("west")
    world.settle()
    assert delivered(world, "west") == {}
    assert find(world.hub, BINDINGS, "settings") is None


def test_a_garbage_collector_on_the_hub_changes_nothing() -> None:
    world = world_with_config()
    world.hub._store.collects = True
    world.hub.delete(BINDING_POLICIES, "settings")
    world.settle()
    assert delivered(world, "east") == delivered(world, "west") == {}
    assert find(world.hub, BINDINGS, "settings") is None


def test_ordinary_policies_serve_the_members_that_are_there() -> None:
    world = world_with_config()
    world.cut_off("west")
    world.hub.patch(CONFIG_MAPS, "settings", {"data": {"colour": "blue"}}, "a")
    sighting = world.settle()
    assert delivered(world, "east")["a/settings"]["data"] == {"colour": "blue"}
    assert delivered(world, "west")["a/settings"]["data"] == {"colour": "red"}
    assert any("west cannot be seen since" in each for each in errors(world, "settings"))
    assert [(each.name, each.is_available) for each in sighting.clusters] == [("east", True), ("west", False)]
    world.bring_back("west")
    world.settle()
    assert delivered(world, "west")["a/settings"]["data"] == {"colour": "blue"}
    assert errors(world, "settings") == []


def test_a_second_object_under_one_policy_is_delivered_and_a_deleted_one_goes() -> None:
    world = world_with_config()
    world.hub.served = (*world.hub.served, JOBS)
    clause = {"resources": ["jobs", "configmaps"], "namespaces": ["a"]}
    world.hub.patch(BINDING_POLICIES, "settings", {"spec": {"downsync": [clause]}})
    for name in ("first", "second"):
        metadata = {"name": name, "namespace": "a", "labels": {"controller-uid": "u"}}
        spec = {"selector": {"matchLabels": {"controller-uid": "u"}}, "template": {"spec": {}}}
        world.hub.create(JOBS, {"metadata": metadata, "spec": spec})
        world.now += timedelta(minutes=2)
        world.settle()
    assert sorted(delivered(world, "east", JOBS)) == ["a/first", "a/second"]
    assert "selector" not in delivered(world, "east", JOBS)["a/first"]["spec"]
    world.hub.delete(JOBS, "first", "a")
    world.settle()
    assert sorted(delivered(world, "east", JOBS)) == ["a/second"]


def test_what_two_policies_send_lives_on_when_one_of_them_goes() -> None:
    world = world_with_config()
    world.policy("again", **ALL, **CONFIG)
    world.settle()
    uid = delivered(world, "east")["a/settings"]["metadata"]["uid"]
    world.hub.delete(BINDING_POLICIES, "settings")
    world.settle()
    one = delivered(world, "east")["a/settings"]
    assert one["metadata"]["uid"] == uid
    assert labels_of(one)["hive.fleet/binding"] == "again"
    world.hub.delete(BINDING_POLICIES, "again")
    world.settle()
    assert delivered(world, "east") == {}


def test_an_object_to_be_created_only_is_left_as_the_member_has_it() -> None:
    world = World("east")
    for each in world.servers:
        each.create(NAMESPACES, {"metadata": {"name": "a"}})
    config(world, "a", "settings", colour="red")
    clause = {**CONFIG["downsync"][0], "createOnly": True}
    world.policy("settings", **ALL, downsync=[clause])
    world.settle()
    world.members["east"].patch(CONFIG_MAPS, "settings", {"data": {"colour": "mine"}}, "a")
    world.hub.patch(CONFIG_MAPS, "settings", {"data": {"colour": "blue"}}, "a")
    world.settle()
    assert delivered(world, "east")["a/settings"]["data"] == {"colour": "mine"}


def test_a_cluster_that_is_being_deleted_is_not_chosen_any_more() -> None:
    world = world_with_config()
    known = world.inventory.clusters["west"]
    world.inventory.clusters["west"] = replace(known, is_deleting=True)
    world.settle()
    assert list(delivered(world, "east")) == ["a/settings"]
    assert delivered(world, "west") == {}


def test_a_member_that_lacks_the_namespace_says_so_and_others_go_on() -> None:
    world = World("east", "west")
    world.hub.create(NAMESPACES, {"metadata": {"name": "a"}})
    world.members["east"].create(NAMESPACES, {"metadata": {"name": "a"}})
    config(world, "a", "settings", colour="red")
    world.policy("settings", **ALL, **CONFIG)
    world.settle()
    assert list(delivered(world, "east")) == ["a/settings"]
    (error,) = errors(world, "settings")
    assert error.startswith("west: configmaps a/settings: ")
    assert 'namespaces "a" not found' in error


def test_each_fault_of_a_policy_is_told_on_its_status_and_the_others_stay_as_they_were() -> None:
    world = world_with_config()
    selector = {"matchExpressions": [{"key": "env", "operator": "In", "values": []}]}
    world.policy("no-values", clusterSelectors=[selector], **CONFIG)
    world.policy("versioned", **ALL, downsync=[{"apiGroup": "apps/v1", "resources": ["deployments"]}])
    world.policy("nowhere", clusterSelectors=[], **CONFIG)
    world.policy("everything-of-hives", **ALL, downsync=[{"apiGroup": "hive.fleet"}])
    sighting = world.settle()
    assert any("In of 'env' has no values" in each for each in errors(world, "no-values"))
    assert any("write 'apps'" in each for each in errors(world, "versioned"))
    assert any("clusterSelectors is empty" in each for each in errors(world, "nowhere"))
    assert any("names sandbox requests" in each for each in errors(world, "everything-of-hives"))
    for name in ("no-values", "versioned", "nowhere"):
        assert messages(sighting, name) == errors(world, name)
        assert world.hub.get(BINDING_POLICIES, name)["status"]["observedGeneration"] == 1
    assert list(delivered(world, "east")) == ["a/settings"]


def test_a_policy_that_cannot_be_read_any_more_keeps_what_it_delivered() -> None:
    world = world_with_config()
    world.hub.patch(BINDING_POLICIES, "settings", {"spec": {"numberOfClusters": 1}})
    world.settle()
    assert list(delivered(world, "east")) == ["a/settings"]
    assert any("numberOfClusters" in each for each in errors(world, "settings"))


def test_a_broad_policy_sends_neither_requests_nor_what_hive_put_on_a_hub_that_is_a_member() -> None:
    world = World("east")
    world.members["hub"] = world.hub
    world.inventory.add("hub")
    world.start()
    world.relabel("hub", env="prod")
    world.ask("trainer", clusters={"matchLabels": {"env": "prod"}})
    world.policy(
        "broad",
        clusterSelectors=[{"matchLabels": {"hive.fleet/cluster": "east"}}],
        downsync=[{"resources": ["*"], "namespaces": ["hive"]}],
    )
    world.settle()
    assert world.copies("hive", "trainer") == {"hub"}
    assert delivered(world, "east", DEPLOYMENTS) == {}


def test_a_policy_deleted_while_hive_did_not_run_is_removed_at_its_return() -> None:
    world = world_with_config()
    world.hub.delete(BINDING_POLICIES, "settings")
    world.start()
    world.settle()
    assert delivered(world, "east") == delivered(world, "west") == {}


def test_long_names_of_policies_are_delivered_and_found_again() -> None:
    world = World("east")
    for each in world.servers:
        each.create(NAMESPACES, {"metadata": {"name": "a"}})
    config(world, "a", "settings", colour="red")
    name = f"policy-{'x' * 80}"
    world.policy(name, **ALL, **CONFIG)
    world.settle()
    (one,) = delivered(world, "east").values()
    assert len(labels_of(one)["hive.fleet/binding"]) == 63
    world.hub.delete(BINDING_POLICIES, name)
    world.settle()
    assert delivered(world, "east") == {}
