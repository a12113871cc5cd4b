"""Sandbox requests from the hub to one copy on one member, and back."""

from __future__ import annotations

import base64

from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    DEPLOYMENTS,
    NAMESPACES,
    NETWORK_POLICIES,
    PODS,
    SANDBOX_REQUESTS,
    PodRef,
    annotations_of,
    labels_of,
    name_of,
)
from tests.fleet.world import World, everything, find, sandbox


def test_a_request_becomes_one_pod_on_one_cluster_and_its_status_says_which() -> None:
    world = World("east", "west")
    world.ask("trainer")
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert (one.phase, one.cluster, one.node) == (SandboxPhase.READY, "east", "east-1")
    assert one.pod == PodRef("hive", "trainer.pod")
    assert one.why["east"].startswith("chosen: ")
    assert world.copies("hive", "trainer") == {"east"}
    status = world.hub.get(SANDBOX_REQUESTS, "trainer", "hive")["status"]
    assert (status["phase"], status["cluster"], status["node"]) == ("ready", "east", "east-1")
    assert status["pod"]["uid"] == one.pod_uid


def test_the_binding_lists_the_request_and_its_destination_and_is_owned_by_its_policy() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    policy = world.hub.get(BINDING_POLICIES, "hive-trainer")
    assert policy["spec"] == {
        "clusterSelectors": [{"matchLabels": {"hive.fleet/cluster": "east"}}],
        "downsync": [
            {
                "apiGroup": "hive.fleet",
                "resources": ["sandboxrequests"],
                "namespaces": ["hive"],
                "objectNames": ["trainer"],
            }
        ],
    }
    binding = world.hub.get(BINDINGS, "hive-trainer")
    (entry,) = binding["spec"]["workload"]["namespaceScope"]
    assert (entry["group"], entry["resource"], entry["namespace"], entry["name"]) == (
        "hive.fleet",
        "sandboxrequests",
        "hive",
        "trainer",
    )
    assert binding["spec"]["destinations"] == [{"clusterId": "east"}]
    assert annotations_of(binding)["hive.fleet/delivered-to"] == "east"
    assert binding["metadata"]["finalizers"] == ["hive.fleet/delivery"]
    (owner,) = binding["metadata"]["ownerReferences"]
    assert (owner["uid"], owner["controller"]) == (policy["metadata"]["uid"], True)
    assert binding["status"]["conditions"][0]["status"] == "True"


def test_everything_on_the_member_is_marked_as_hives_and_its_pods_too() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    for kind in (DEPLOYMENTS, NETWORK_POLICIES, PODS):
        (one,) = everything(world.members["east"], kind)
        assert labels_of(one)["hive.fleet/binding"] == "hive-trainer"
        assert labels_of(one)["app.kubernetes.io/managed-by"] == "hive"
    (deployment,) = everything(world.members["east"], DEPLOYMENTS)
    policy = world.hub.get(BINDING_POLICIES, "hive-trainer")
    assert annotations_of(deployment)["hive.fleet/policy-uid"] == policy["metadata"]["uid"]
    expected = "hive.fleet/v1alpha1/sandboxrequests/hive/trainer"
    assert annotations_of(deployment)["hive.fleet/object"] == expected


def test_nothing_runs_before_what_confines_it_is_there() -> None:
    world = World("east")
    world.ask("trainer")
    world.reconcile()
    kinds = [each.split()[2] for each in world.writes() if each.startswith("east: apply")]
    assert kinds[-1] == "Deployment"
    assert {"Namespace", "ServiceAccount", "Secret", "NetworkPolicy"} == set(kinds[:-1])


def test_a_fleet_at_rest_is_not_written_to_and_asked_one_list_for_each_kind() -> None:
    world = World("east", "west")
    for name in ("one", "two", "three"):
        world.ask(name)
    world.settle()
    asked: list[str] = []
    for each in (world.hub, *world.members.values()):
        each.before = lambda verb, kind, name, at=each.name: asked.append(f"{at}: {verb} {kind.plural}")
    world.forget_writes()
    world.reconcile(pods=False)
    assert world.writes() == []
    assert sorted(each for each in asked if each.startswith("hub")) == [
        "hub: list bindingpolicies",
        "hub: list bindings",
        "hub: list sandboxrequests",
    ]
    assert all(" list " in each for each in asked)
    assert len(asked) == len(set(asked)) <= 3 + 2 * 7


def test_its_token_is_on_the_member_alone_and_minted_once() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    secret = world.secret("east", "trainer-hive")
    assert secret is not None
    assert {key: base64.b64decode(value) for key, value in secret["data"].items()} == {
        "token": b"token-1",
        "ca.pem": b"CA",
    }
    assert world.tokens.minted == 1
    hub = str([world.hub.list(kind).items for kind in (SANDBOX_REQUESTS, BINDINGS, BINDING_POLICIES)])
    assert "token-1" not in hub
    assert base64.b64encode(b"token-1").decode() not in hub


def test_a_token_that_is_not_good_any_more_is_replaced() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    world.tokens.good["hive/trainer", "east"] = b"another"
    world.settle()
    secret = world.secret("east", "trainer-hive")
    assert secret is not None
    assert base64.b64decode(secret["data"]["token"]) == b"token-2"


def test_deleting_the_request_withdraws_its_sandbox_and_its_token() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    world.withdraw("trainer")
    sighting = world.reconcile()
    assert sandbox(sighting, "hive/trainer").phase is SandboxPhase.WITHDRAWN
    world.settle()
    assert world.copies("hive", "trainer") == set()
    assert world.binding("hive-trainer") is None
    assert find(world.hub, BINDING_POLICIES, "hive-trainer") is None
    assert world.secret("east", "trainer-hive") is None
    assert world.tokens.revoked == [("hive/trainer", "east")]


def test_what_confines_a_pod_stays_until_the_pod_is_gone() -> None:
    world = World("east")
    world.members["east"].lingers.add(PODS)
    world.ask("trainer")
    world.settle()
    world.withdraw("trainer")
    world.settle()
    assert [name_of(each) for each in everything(world.members["east"], NETWORK_POLICIES)] == ["trainer"]
    assert world.tokens.revoked == []
    world.members["east"].finish(PODS, "trainer.pod", "hive")
    world.settle()
    assert everything(world.members["east"], NETWORK_POLICIES) == ()
    assert world.binding("hive-trainer") is None


def test_a_request_of_the_same_name_is_another_sandbox() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    (before,) = everything(world.members["east"], DEPLOYMENTS)
    world.withdraw("trainer")
    world.ask("trainer")
    world.settle()
    (after,) = everything(world.members["east"], DEPLOYMENTS)
    assert before["metadata"]["uid"] != after["metadata"]["uid"]
    assert world.tokens.revoked == [("hive/trainer", "east")]


def test_hives_own_policy_comes_back_as_long_as_its_request_lives() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    (before,) = everything(world.members["east"], DEPLOYMENTS)
    world.hub.delete(BINDING_POLICIES, "hive-trainer")
    sighting = world.settle()
    (after,) = everything(world.members["east"], DEPLOYMENTS)
    assert sandbox(sighting, "hive/trainer").phase is SandboxPhase.READY
    assert before["metadata"]["uid"] == after["metadata"]["uid"]


def test_a_binding_that_was_changed_by_hand_is_restored() -> None:
    world = World("east", "west")
    world.ask("trainer")
    world.settle()
    spec = world.hub.get(BINDINGS, "hive-trainer")["spec"]
    world.hub.patch(BINDINGS, "hive-trainer", {"spec": {"destinations": [{"clusterId": "west"}]}})
    world.settle()
    assert world.hub.get(BINDINGS, "hive-trainer")["spec"]["destinations"] == spec["destinations"]
    assert world.copies("hive", "trainer") == {"east"}


def test_an_object_that_was_changed_or_deleted_by_hand_on_the_member_is_repaired() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    member = world.members["east"]
    (before,) = everything(member, DEPLOYMENTS)
    member.patch(DEPLOYMENTS, "trainer", {"spec": {"replicas": 3}}, "hive")
    member.delete(NETWORK_POLICIES, "trainer", "hive")
    world.settle()
    (after,) = everything(member, DEPLOYMENTS)
    assert after["spec"]["replicas"] == 1
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert len(everything(member, NETWORK_POLICIES)) == 1


def test_a_value_that_the_server_spells_in_its_own_way_is_not_written_for_ever() -> None:
    world = World("east")
    member = world.members["east"]
    world.ask("trainer", resources={"cpu": "1000m", "memory": "1024Mi"})
    world.reconcile()
    # As a real server does it: the quantity comes back in its canonical form.
    world.settle()
    world.start()
    world.settle()
    assert len(everything(member, DEPLOYMENTS)) == 1


def test_an_object_that_hive_did_not_make_is_left_alone_and_told_of() -> None:
    world = World("east")
    world.members["east"].create(NAMESPACES, {"metadata": {"name": "hive"}})
    theirs = {"metadata": {"name": "trainer", "namespace": "hive"}, "spec": {"podSelector": {}}}
    world.members["east"].create(NETWORK_POLICIES, theirs)
    world.ask("trainer")
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert one.phase is SandboxPhase.FAILED
    assert "was not put there by hive: left alone" in one.message
    assert world.copies("hive", "trainer") == set(), "nothing runs without its network policy"
    (left,) = everything(world.members["east"], NETWORK_POLICIES)
    assert left["spec"] == {"podSelector": {}}
