"""What cannot be placed, rendered, pulled or reached: each told once, in words, where people look."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from hive.errors import Refused, Unreachable
from hive.facts.fleet import UNIT
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    DEPLOYMENTS,
    PODS,
    SANDBOX_REQUESTS,
    ResourceType,
)
from tests.fleet.world import World, everything, find, sandbox

L4 = {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.memory": "23034"}
CLAUSE = {"resources": ["configmaps"], "namespaces": ["none"]}


def gpu_world(count: int = 1) -> World:
    world = World("cpu", "gpu")
    world.inventory.add("gpu", node_labels=L4, more={"nvidia.com/gpu": count * UNIT})
    return world


def gpu(product: str, count: int = 1) -> dict[str, Any]:
    return {"template": "gpu", "gpu": {"product": [product], "count": count}}


def test_a_request_that_no_cluster_can_ever_serve_is_told_from_one_that_waits_for_room() -> None:
    world = gpu_world()
    world.ask("first", **gpu("NVIDIA-L4"))
    world.settle()
    world.ask("second", **gpu("NVIDIA-L4"))
    world.ask("wrong", **gpu("NVIDIA-H100"))
    world.ask("greedy", **gpu("NVIDIA-L4", 4))
    sighting = world.settle()
    assert sandbox(sighting, "hive/first").cluster == "gpu"
    waits = sandbox(sighting, "hive/second")
    assert (waits.phase, waits.cluster) == (SandboxPhase.PENDING, "")
    assert waits.message.startswith("it waits for room: ")
    wrong = sandbox(sighting, "hive/wrong")
    assert wrong.message.startswith("no cluster can ever serve it")
    assert "its GPU is NVIDIA-L4, not NVIDIA-H100" in wrong.message
    assert sandbox(sighting, "hive/greedy").message.startswith("no cluster can ever serve it")
    status = world.hub.get(SANDBOX_REQUESTS, "wrong", "hive")["status"]
    assert (status["phase"], status["message"]) == ("pending", wrong.message)
    assert status["why"]["gpu"].startswith("not: ")


def test_nothing_is_hopeless_while_a_cluster_is_out_of_sight() -> None:
    world = gpu_world()
    world.cut_off("cpu")
    world.ask("wrong", **gpu("NVIDIA-H100"))
    assert sandbox(world.settle(), "hive/wrong").message.startswith("it waits for room: ")


def test_two_requests_that_would_share_a_binding_are_told_apart_and_the_later_is_refused() -> None:
    world = World("east")
    world.ask("b-c", "a")
    world.ask("c", "a-b")
    sighting = world.settle()
    assert sandbox(sighting, "a/b-c").phase is SandboxPhase.READY
    later = sandbox(sighting, "a-b/c")
    assert later.phase is SandboxPhase.FAILED
    assert later.message == "its Binding 'a-b-c' is that of a/b-c; take another name"
    assert world.copies("a-b", "c") == set()
    assert "a-b-c" in world.hub.get(SANDBOX_REQUESTS, "c", "a-b")["status"]["message"]


def test_a_policy_of_somebody_else_is_never_taken_for_the_requests_own() -> None:
    world = World("east")
    world.policy(
        "hive-trainer", clusterSelectors=[{}], downsync=[{"resources": ["configmaps"], "namespaces": ["x"]}]
    )
    world.ask("trainer")
    one = sandbox(world.settle(), "hive/trainer")
    assert one.phase is SandboxPhase.FAILED
    assert "that hive did not write" in one.message
    assert world.hub.get(BINDING_POLICIES, "hive-trainer")["spec"]["clusterSelectors"] == [{}]


def test_each_fault_of_a_request_is_told_on_its_status_and_the_others_are_served() -> None:
    world = World("east")
    world.ask("good")
    world.ask("no-template", template="cuda")
    world.ask("quantity", resources={"cpu": "two"})
    world.ask("parameter", parameters={"dsk": "5Gi"})
    world.ask("selector", clusters={"matchExpressions": [{"key": "env", "operator": "In", "values": []}]})
    sighting = world.settle()
    assert sandbox(sighting, "hive/good").phase is SandboxPhase.READY
    told = {each.request: each.message for each in sighting.sandboxes if each.phase is SandboxPhase.FAILED}
    assert "there is no template 'cuda'" in told["hive/no-template"]
    assert "'two' is no quantity" in told["hive/quantity"]
    assert "did you mean 'disk'?" in told["hive/parameter"]
    assert "In of 'env' has no values" in told["hive/selector"]
    assert len(told) == 4
    for key, message in told.items():
        namespace, _, name = key.partition("/")
        assert world.hub.get(SANDBOX_REQUESTS, name, namespace)["status"]["message"] == message
        assert any(message == each.message for each in sighting.problems)


def test_a_request_that_becomes_wrong_keeps_its_sandbox_as_it_is() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    world.change("trainer", resources={"cpu": "two"})
    one = sandbox(world.settle(), "hive/trainer")
    assert one.phase is SandboxPhase.READY
    assert "'two' is no quantity" in one.message
    assert world.copies("hive", "trainer") == {"east"}


def test_an_image_that_cannot_be_pulled_is_told_in_kubelets_words() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    waiting = {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}
    status = {
        "phase": "Pending",
        "containerStatuses": [{"image": "example.org/agent:1", "state": {"waiting": waiting}}],
    }
    world.members["east"].set_status(PODS, "trainer.pod", status, "hive")
    one = sandbox(world.settle(), "hive/trainer")
    assert one.phase is SandboxPhase.FAILED
    assert one.message == "ImagePullBackOff (example.org/agent:1): Back-off pulling image"


def test_what_a_members_api_server_refuses_is_told_in_its_words_and_tried_again() -> None:
    world = World("east", "west")

    def refuse(verb: str, kind: ResourceType, name: str) -> None:
        if (verb, kind) == ("apply", DEPLOYMENTS):
            raise Refused("kubernetes", 'deployments.apps is forbidden: exceeded quota "team"')

    world.members["east"].before = refuse
    world.ask("trainer")
    for _ in range(4):
        sighting = world.reconcile()
    one = sandbox(sighting, "hive/trainer")
    assert (one.phase, one.cluster) == (SandboxPhase.FAILED, "east")
    assert 'exceeded quota "team"' in one.message
    assert world.tokens.minted == 1
    world.members["east"].before = None
    assert sandbox(world.settle(), "hive/trainer").phase is SandboxPhase.READY


def test_a_pod_that_the_deployment_cannot_make_is_told() -> None:
    world = World("east")
    world.ask("trainer")
    world.reconcile(pods=False)
    failure = {
        "type": "ReplicaFailure",
        "status": "True",
        "reason": "FailedCreate",
        "message": "pods forbidden",
    }
    world.members["east"].set_status(DEPLOYMENTS, "trainer", {"conditions": [failure]}, "hive")
    one = sandbox(world.reconcile(pods=False), "hive/trainer")
    assert (one.phase, one.message) == (SandboxPhase.FAILED, "FailedCreate: pods forbidden")


def test_a_cluster_without_a_connection_is_chosen_for_nothing() -> None:
    world = World("east")
    world.inventory.add("a-far-one")
    world.ask("trainer")
    one = sandbox(world.settle(), "hive/trainer")
    assert one.cluster == "east"
    assert "no connection" in one.why["a-far-one"]


def test_a_hung_member_holds_up_nobody() -> None:
    world = World("east", "west")
    world.policy("p", clusterSelectors=[{}], downsync=[CLAUSE])
    world.ask("trainer", clusters={"matchLabels": {"hive.fleet/cluster": "west"}})
    world.controller._members._seconds = 0.5
    release = threading.Event()

    def hang(verb: str, kind: ResourceType, name: str) -> None:
        release.wait(60)

    world.members["east"].before = hang
    begun = time.monotonic()
    for _ in range(3):
        sighting = world.reconcile(pods=False)
    assert time.monotonic() - begun < 30
    release.set()
    clusters = {each.name: each for each in sighting.clusters}
    assert clusters["west"].is_available
    assert not clusters["east"].is_available
    assert "since 2026-11-30T12:00:05Z" in clusters["east"].message
    assert len(everything(world.members["west"], DEPLOYMENTS)) == 1


def test_objects_of_a_binding_that_the_hub_does_not_have_are_told_of_and_left_alone() -> None:
    world = World("east")
    world.ask("trainer")
    world.settle()
    world.withdraw("trainer")
    for kind, name in ((BINDING_POLICIES, "hive-trainer"), (BINDINGS, "hive-trainer")):
        world.hub.patch(kind, name, {"metadata": {"finalizers": None}})
        world.hub.delete(kind, name)
    world.ask("other")
    sighting = world.settle()
    assert any("belong to the Binding hive-trainer" in each.message for each in sighting.problems)
    assert world.copies("hive", "trainer") == {"east"}


def test_a_binding_that_kubestellar_carries_out_is_left_to_it() -> None:
    world = World("east")
    world.policy("p", clusterSelectors=[{}], downsync=[CLAUSE])
    finalizers = ["transport.kubestellar.io/object-cleanup"]
    world.hub.create(
        BINDINGS, {"metadata": {"name": "p", "finalizers": finalizers}, "spec": {"workload": {}}}
    )
    world.settle()
    binding = find(world.hub, BINDINGS, "p")
    assert binding is not None
    assert binding["spec"] == {"workload": {}}
    assert "KubeStellar's own transport" in world.hub.get(BINDING_POLICIES, "p")["status"]["errors"][0]


def test_a_round_that_took_too_long_writes_nothing_more() -> None:
    world = World("east")
    world.ask("trainer")
    world.controller._round_seconds = 0.0
    world.forget_writes()
    with pytest.raises(Unreachable, match="took too long for one round"):
        world.reconcile()
    assert world.writes() == []


def test_a_member_that_an_earlier_controller_still_writes_to_is_out_of_sight_for_the_next() -> None:
    world = World("east")
    release = threading.Event()

    def hang(verb: str, kind: ResourceType, name: str) -> None:
        if (verb, kind) == ("apply", DEPLOYMENTS):
            release.wait(60)

    world.members["east"].before = hang
    world.ask("trainer")
    world.controller._members._seconds = 1.0
    world.reconcile(pods=False)
    world.start()
    one = sandbox(world.reconcile(pods=False), "hive/trainer")
    assert one.phase is SandboxPhase.AWAY
    release.set()
    world.members["east"].before = None
    end = time.monotonic() + 30
    while sandbox(world.reconcile(), "hive/trainer").phase is not SandboxPhase.READY:
        assert time.monotonic() < end
