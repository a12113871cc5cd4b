"""The controller with the real inventory: nodes on members, ManagedClusters on the hub, labels by hand."""

from __future__ import annotations

from typing import Any

from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.kubernetes import MANAGED_CLUSTERS, NODES, labels_of
from hive.fleet.controller import FleetController
from hive.fleet.inventory import Inventory
from hive.settings.sandbox_templates import load_templates
from tests.fakes.kubernetes import FakeKubernetes
from tests.fleet.world import GATEWAY, World, sandbox

L4 = {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.memory": "23034"}


def node(member: FakeKubernetes, labels: dict[str, str] | None = None, **amounts: str) -> None:
    name = f"{member.name}-1"
    member.create(NODES, {"metadata": {"name": name, "labels": labels or {}}, "spec": {}})
    allocatable = {"cpu": "8", "memory": "32Gi", "pods": "110", "ephemeral-storage": "100Gi", **amounts}
    ready = {"type": "Ready", "status": "True"}
    member.set_status(NODES, name, {"allocatable": allocatable, "conditions": [ready]})


class FleetWithInventory(World):
    def start(self) -> FleetController:
        members = {name: (lambda it=each: it) for name, each in self.members.items()}
        self.inventory_of_hive = Inventory(self.hub, members)
        self.controller = FleetController(
            self.hub,
            members,
            self.inventory_of_hive,
            templates=load_templates(),
            image="example.org/agent:1",
            gateway=GATEWAY,
            credentials=self.tokens,
        )
        return self.controller


def relabel(world: World, cluster: str, **labels: str | None) -> None:
    """As `kubectl label managedcluster` does it."""
    world.hub.patch(MANAGED_CLUSTERS, cluster, {"metadata": {"labels": labels}})


def fleet() -> FleetWithInventory:
    world = FleetWithInventory("east", "west")
    node(world.members["east"])
    node(world.members["west"], L4, **{"nvidia.com/gpu": "2"})
    return world


def test_a_request_for_a_gpu_goes_to_the_cluster_that_has_one() -> None:
    world = fleet()
    need: dict[str, Any] = {"template": "gpu", "gpu": {"product": ["NVIDIA-L4"], "count": 1}}
    world.ask("trainer", **need)
    world.ask("wrong", **{**need, "gpu": {"product": ["NVIDIA-H100"]}})
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert (one.phase, one.cluster, one.node) == (SandboxPhase.READY, "west", "west-1")
    assert sandbox(sighting, "hive/wrong").message.startswith("no cluster can ever serve it")


def test_a_label_that_an_operator_puts_on_a_managed_cluster_moves_a_sandbox() -> None:
    world = fleet()
    world.settle()
    relabel(world, "east", env="prod")
    world.ask("trainer", clusters={"matchLabels": {"env": "prod"}})
    assert sandbox(world.settle(), "hive/trainer").cluster == "east"
    relabel(world, "east", env=None)
    relabel(world, "west", env="prod")
    assert sandbox(world.settle(), "hive/trainer").cluster == "west"
    assert world.copies("hive", "trainer") == {"west"}


def test_the_label_that_hives_own_policies_select_by_comes_back_and_moves_nothing() -> None:
    world = fleet()
    world.ask("trainer")
    before = sandbox(world.settle(), "hive/trainer")
    relabel(world, before.cluster, **{"hive.fleet/cluster": None})
    after = sandbox(world.settle(), "hive/trainer")
    managed = world.hub.get(MANAGED_CLUSTERS, before.cluster)
    assert labels_of(managed)["hive.fleet/cluster"] == before.cluster
    assert (after.cluster, after.pod_uid) == (before.cluster, before.pod_uid)


def test_a_member_that_is_away_longer_than_a_look_counts_keeps_its_sandbox() -> None:
    world = fleet()
    world.ask("trainer")
    before = sandbox(world.settle(), "hive/trainer")
    world.members[before.cluster].away = True
    world.settle()
    world.now += world.controller._stale_after * 2
    one = sandbox(world.settle(), "hive/trainer")
    assert (one.phase, one.cluster) == (SandboxPhase.AWAY, before.cluster)
    world.members[before.cluster].away = False
    after = sandbox(world.settle(), "hive/trainer")
    assert (after.phase, after.cluster, after.pod_uid) == (SandboxPhase.READY, before.cluster, before.pod_uid)
