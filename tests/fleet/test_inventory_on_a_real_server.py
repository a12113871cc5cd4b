"""The inventory over a real API server, which is hub and member at once, and over a network that fails."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hive.cli.main import main
from hive.decisions.inventory.roll import DOES_NOT_ANSWER
from hive.facts.fleet import UNIT, Cluster, Taint
from hive.facts.kubernetes import MANAGED_CLUSTERS, NODES, PODS, Manifest, name_of
from hive.fleet.definitions import install, shipped
from hive.fleet.inventory import Inventory
from hive.fleet.registration import Origin
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.cluster.control_plane import ControlPlane
from tests.cluster.relay import Relay

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MEMBER = "inventory-east"
NODE = "inventory-node"
MI = 1024 * 1024 * UNIT


@pytest.fixture
def hub(control_plane: ControlPlane) -> Iterator[KubernetesCluster]:
    """With the kinds of the fleet, one node with a GPU, and nothing of this test's afterwards."""
    cluster = KubernetesCluster.from_kubeconfig(control_plane.kubeconfig, control_plane.name)
    assert install(cluster, shipped(), "hive").is_complete
    labels = {"nvidia.com/gpu.product": "NVIDIA-L4"}
    cluster.create(NODES, {"metadata": {"name": NODE, "labels": labels}, "spec": {"unschedulable": True}})
    sizes = {"cpu": "3500m", "memory": "8Gi", "pods": "110", "nvidia.com/gpu": "2"}
    ready = [{"type": "Ready", "status": "True", "reason": "R", "message": "m"}]
    status = {"capacity": {**sizes, "cpu": "4"}, "allocatable": sizes, "conditions": ready}
    cluster.patch(NODES, NODE, {"status": status}, subresource="status")
    yield cluster
    cluster.delete(NODES, NODE)
    cluster.delete(MANAGED_CLUSTERS, MEMBER)
    cluster.close()


@pytest.fixture
def relay(control_plane: ControlPlane) -> Iterator[Relay]:
    with control_plane.relay() as relay:
        yield relay


@pytest.fixture
def inventory(control_plane: ControlPlane, hub: KubernetesCluster, relay: Relay) -> Iterator[Inventory]:
    """One member, behind a network that can fail."""
    config = control_plane.kubeconfig_for(url=relay.url())

    def connect() -> KubernetesCluster:
        return KubernetesCluster.from_kubeconfig(config, control_plane.name, timeout=5.0)

    found = Inventory(hub, {MEMBER: connect}, origins={MEMBER: Origin("ctx", {"env": "prod"})}, deadline=3.0)
    yield found
    found.close()


def pod(namespace: str, name: str, **spec: Any) -> Manifest:
    containers = [{"name": "c", "image": "none", "resources": {"requests": {"cpu": "250m"}}}]
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"nodeName": NODE, "containers": containers, **spec},
    }


def mine(clusters: tuple[Cluster, ...]) -> Cluster:
    return next(each for each in clusters if each.name == MEMBER)


def test_what_is_free_on_a_member_is_what_its_api_server_says(
    control_plane: ControlPlane,
    hub: KubernetesCluster,
    inventory: Inventory,
    fresh_namespace: Callable[[ControlPlane], str],
) -> None:
    namespace = fresh_namespace(control_plane)
    init = [{"name": "i", "image": "none", "resources": {"requests": {"cpu": "1"}}}]
    gpu = [{"name": "c", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "1", "memory": "64Mi"}}}]
    hub.create(PODS, pod(namespace, "plain"))
    hub.create(PODS, pod(namespace, "init", initContainers=init))
    hub.create(PODS, pod(namespace, "gpu", containers=gpu))
    hub.create(PODS, pod(namespace, "done"))
    hub.patch(PODS, "done", {"status": {"phase": "Succeeded"}}, namespace, subresource="status")

    found = mine(inventory.look(NOW))
    assert found.labels == {"env": "prod", "hive.fleet/cluster": MEMBER}
    assert found.available == "True"
    assert found.seen is not None
    (node,) = [each for each in found.seen.nodes if each.name == NODE]
    assert node.labels["nvidia.com/gpu.product"] == "NVIDIA-L4"
    assert Taint("node.kubernetes.io/unschedulable", "", "NoSchedule") in node.taints
    assert node.allocatable == {
        "cpu": 3500 * UNIT // 1000,
        "memory": 8192 * MI,
        "pods": 110 * UNIT,
        "nvidia.com/gpu": 2 * UNIT,
    }
    assert node.requested == {
        "cpu": 1250 * UNIT // 1000,
        "memory": 64 * MI,
        "nvidia.com/gpu": UNIT,
        "pods": 3 * UNIT,
    }
    written = hub.get(MANAGED_CLUSTERS, MEMBER)
    assert written["status"]["version"]["kubernetes"] == hub.version()
    assert written["status"]["capacity"]["nvidia.com/gpu"] == "2"
    version = written["metadata"]["resourceVersion"]
    inventory.look(NOW + MINUTE)
    assert hub.get(MANAGED_CLUSTERS, MEMBER)["metadata"]["resourceVersion"] == version
    for name in ("plain", "init", "gpu", "done"):
        hub.patch(PODS, name, {"metadata": {"finalizers": None}}, namespace)
        hub.delete(PODS, name, namespace)


def test_a_member_behind_a_dead_network_holds_up_nothing_and_comes_back(
    hub: KubernetesCluster, inventory: Inventory, relay: Relay
) -> None:
    inventory.look(NOW)
    relay.silence()
    begun = time.monotonic()
    found = mine(inventory.look(NOW + MINUTE))
    assert time.monotonic() - begun < 20
    assert DOES_NOT_ANSWER in found.taints
    assert inventory.away[MEMBER].since == NOW + MINUTE
    conditions = hub.get(MANAGED_CLUSTERS, MEMBER)["status"]["conditions"]
    assert [each["status"] for each in conditions] == ["True", "Unknown"]

    relay.refuse()
    deadline = time.monotonic() + 60
    while mine(inventory.look(NOW + 10 * MINUTE)).available != "Unknown":
        assert time.monotonic() < deadline
    relay.heal()
    deadline = time.monotonic() + 60
    while inventory.away:
        found = mine(inventory.look(NOW + 11 * MINUTE))
        assert time.monotonic() < deadline
    assert (found.available, DOES_NOT_ANSWER in found.taints) == ("True", False)


def test_the_commands_work_on_a_real_fleet(
    control_plane: ControlPlane,
    hub: KubernetesCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    member = f"{{context: {control_plane.name}, name: {MEMBER}}}"
    (tmp_path / "hive.yaml").write_text(
        f"fleet: {{kubeconfig: {control_plane.kubeconfig}, hub: {control_plane.name}, members: [{member}]}}\n"
    )
    assert main(["install", "--crds", "--json"]) == 0
    installed = json.loads(capsys.readouterr().out)
    assert {each["state"] for each in installed["definitions"]} == {"present"}
    assert main(["clusters", "--json"]) == 0
    (row,) = [row for row in json.loads(capsys.readouterr().out)["clusters"] if row["name"] == MEMBER]
    assert (row["registered"], row["reachable"], row["version"]) == (False, True, hub.version())
    assert MEMBER not in map(name_of, hub.list(MANAGED_CLUSTERS).items)
