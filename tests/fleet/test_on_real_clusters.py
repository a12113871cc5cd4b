"""The fleet's controller on real API servers: a hub and two members, each with its own controllers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hive.errors import InDoubt, Unreachable
from hive.facts.fleet_sighting import FleetSighting, SandboxPhase
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    NETWORK_POLICIES,
    PODS,
    SANDBOX_REQUESTS,
    SECRETS,
    Manifest,
    ResourceType,
    is_deleting,
    labels_of,
)
from hive.fleet.controller import FleetController
from hive.fleet.definitions import install, shipped
from hive.settings.sandbox_templates import load_templates
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fleet import Fleet
from tests.fleet.world import GATEWAY, StubInventory, Tokens, sandbox

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.timeout(600)]
_PATIENCE = 120.0
"""Seconds for what takes a few on a quiet machine."""
_OURS = "hive.fleet/binding"


@dataclass
class RealWorld:
    """Looks into the servers beside hive, over connections of its own."""

    fleet: Fleet
    hub: KubernetesCluster
    members: dict[str, KubernetesCluster]
    inventory: StubInventory
    tokens: Tokens
    controller: FleetController
    now: datetime

    @property
    def names(self) -> tuple[str, str]:
        east, west = sorted(self.members)
        return east, west

    def plane(self, name: str) -> ControlPlane:
        return self.fleet.member(name)

    def restart(self) -> None:
        """Another controller, which knows nothing of the one before."""
        self.controller.close()
        self.controller = controller_of(self.fleet, self.inventory, self.tokens)

    def reconcile(self) -> FleetSighting | None:
        """None while the hub does not answer."""
        self.now += timedelta(seconds=5)
        try:
            return self.controller.reconcile(self.now)
        except (Unreachable, InDoubt):
            return None

    def until(self, holds: Callable[[FleetSighting], bool]) -> FleetSighting:
        """Rounds until it does; in no round may there be a second copy."""
        end = time.monotonic() + _PATIENCE
        while True:
            sighting = self.reconcile()
            assert len(self.copies()) <= 1
            if sighting is not None and holds(sighting):
                return sighting
            print(sighting and sighting.problems)  # shown where the test fails
            assert time.monotonic() < end, f"never so: {sighting}"
            time.sleep(0.1)

    def copies(self) -> set[str]:
        """Members with anything of a sandbox that could run; of those that answer."""
        return {
            name
            for name in self.members
            if self.objects(name, DEPLOYMENTS, "hive") or self.objects(name, PODS, "hive")
        }

    def objects(self, name: str, kind: ResourceType, namespace: str) -> tuple[Manifest, ...]:
        try:
            return self.members[name].list(kind, namespace, labels=_OURS).items
        except Unreachable:
            return ()

    def versions(self) -> dict[str, str]:
        """Of all that hive writes: what did not change was not written."""
        found: dict[str, str] = {}
        for kind in (SANDBOX_REQUESTS, BINDING_POLICIES, BINDINGS):
            for each in self.hub.list(kind).items:
                found[str(each["metadata"]["uid"])] = each["metadata"]["resourceVersion"]
        for member in self.members.values():
            for kind in (DEPLOYMENTS, SECRETS, NETWORK_POLICIES, CONFIG_MAPS):
                for each in member.list(kind, labels=_OURS).items:
                    found[str(each["metadata"]["uid"])] = each["metadata"]["resourceVersion"]
        return found


def connected(plane: ControlPlane) -> KubernetesCluster:
    return KubernetesCluster.from_kubeconfig(plane.kubeconfig, plane.name, timeout=10.0)


def controller_of(fleet: Fleet, inventory: StubInventory, tokens: Tokens) -> FleetController:
    def to(plane: ControlPlane) -> Callable[[], KubernetesCluster]:
        return lambda: connected(plane)

    return FleetController(
        connected(fleet.hub),
        {each.name: to(each) for each in fleet.members},
        inventory,
        templates=load_templates(),
        image="example.org/agent:1",
        gateway=GATEWAY,
        credentials=tokens,
        seconds=15.0,
    )


@pytest.fixture
def real(fresh_fleet: Callable[[int], Fleet]) -> Iterator[RealWorld]:
    fleet = fresh_fleet(2)
    hub = connected(fleet.hub)
    assert install(hub, shipped(), "hive", patience=90.0).is_complete
    inventory, tokens = StubInventory(*(each.name for each in fleet.members)), Tokens()
    world = RealWorld(
        fleet,
        hub,
        {each.name: connected(each) for each in fleet.members},
        inventory,
        tokens,
        controller_of(fleet, inventory, tokens),
        datetime.fromtimestamp(time.monotonic(), UTC),
    )
    yield world
    world.controller.close()
    for each in (hub, *world.members.values()):
        each.close()


def label(world: RealWorld, **labels: str) -> None:
    """`env` of each member."""
    for place, name in zip(("east", "west"), world.names, strict=True):
        world.inventory.add(name, labels={"hive.fleet/cluster": name, "env": labels[place]})


def ask(world: RealWorld, **spec: Any) -> None:
    body = {"template": "cpu", "clusters": {"matchLabels": {"env": "prod"}}, **spec}
    metadata = {"name": "trainer", "namespace": "hive"}
    world.hub.create(SANDBOX_REQUESTS, whole(SANDBOX_REQUESTS, metadata, spec=body))


def whole(kind: ResourceType, metadata: Manifest, **more: Any) -> Manifest:
    """The API server takes no object of a CRD that does not say of what kind it is."""
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **more}


def has_pod(cluster: str) -> Callable[[FleetSighting], bool]:
    def holds(sighting: FleetSighting) -> bool:
        one = sandbox(sighting, "hive/trainer")
        return one.cluster == cluster and one.pod is not None

    return holds


def test_a_sandbox_is_placed_moved_and_withdrawn_while_servers_restart(real: RealWorld) -> None:
    east, west = real.names
    label(real, east="prod", west="test")
    ask(real)
    sighting = real.until(has_pod(east))
    assert sandbox(sighting, "hive/trainer").phase is SandboxPhase.STARTING
    (pod,) = real.objects(east, PODS, "hive")
    assert labels_of(pod)[_OURS] == "hive-trainer"
    status = real.hub.get(SANDBOX_REQUESTS, "trainer", "hive")["status"]
    assert (status["phase"], status["cluster"]) == ("starting", east)

    # At rest nothing is written: neither on the hub nor on the members, also by another controller.
    real.until(lambda _: True)
    real.restart()
    real.until(lambda _: True)
    before = real.versions()
    for _ in range(3):
        real.until(lambda _: True)
    assert real.versions() == before

    # What somebody changes or deletes on the member is put right.
    real.members[east].patch(DEPLOYMENTS, "trainer", {"spec": {"replicas": 2}}, "hive")
    real.members[east].delete(NETWORK_POLICIES, "trainer", "hive")
    real.until(lambda _: bool(real.objects(east, NETWORK_POLICIES, "hive")))
    (deployment,) = real.objects(east, DEPLOYMENTS, "hive")
    assert deployment["spec"]["replicas"] == 1

    # A member's label moves it; the servers go down in the middle, and hive is started anew.
    label(real, east="test", west="prod")
    real.reconcile()
    real.plane(east).restart(crash=True)
    real.reconcile()
    real.fleet.hub.restart(crash=True)
    real.restart()
    real.until(has_pod(west))
    assert real.copies() == {west}
    assert ("hive/trainer", east) in real.tokens.revoked

    # And back, with the other server down.
    label(real, east="prod", west="test")
    real.plane(west).stop_server(crash=True)
    for _ in range(3):
        real.reconcile()
    assert real.objects(east, DEPLOYMENTS, "hive") == ()
    real.plane(west).start_server()
    real.until(has_pod(east))

    real.hub.delete(SANDBOX_REQUESTS, "trainer", "hive")
    real.until(lambda one: not one.sandboxes)
    assert real.copies() == set()
    assert real.hub.list(BINDINGS).items == ()
    assert real.tokens.good == {}


def test_deleting_a_policy_removes_it_everywhere_also_from_a_member_away_meanwhile(real: RealWorld) -> None:
    east, west = real.names
    for each in (real.hub, *real.members.values()):
        each.create(NAMESPACES, {"metadata": {"name": "team"}})
    metadata = {"name": "settings", "namespace": "team", "labels": {"to": "all"}}
    real.hub.create(CONFIG_MAPS, {"metadata": metadata, "data": {"colour": "red"}})
    clause = {"resources": ["configmaps"], "objectSelectors": [{"matchLabels": {"to": "all"}}]}
    spec = {"clusterSelectors": [{}], "downsync": [clause]}
    real.hub.create(BINDING_POLICIES, whole(BINDING_POLICIES, {"name": "settings"}, spec=spec))
    real.until(lambda _: all(real.objects(name, CONFIG_MAPS, "team") for name in (east, west)))
    real.until(lambda _: True)
    policy = real.hub.get(BINDING_POLICIES, "settings")
    assert {each["type"]: each["status"] for each in policy["status"]["conditions"]} == {
        "Synced": "True",
        "Ready": "True",
    }

    real.plane(west).stop_server(crash=True)
    real.hub.delete(BINDING_POLICIES, "settings")
    real.until(lambda _: not real.objects(east, CONFIG_MAPS, "team"))
    assert is_deleting(real.hub.get(BINDINGS, "settings"))
    real.restart()
    real.plane(west).start_server()
    real.until(lambda _: not real.hub.list(BINDINGS).items)
    assert real.objects(west, CONFIG_MAPS, "team") == ()
