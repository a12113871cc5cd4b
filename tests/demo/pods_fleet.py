"""A fleet on which agents' pods really run, with a network in front of it that can misbehave."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hive.errors import Missing, WorldError
from hive.facts import kubernetes as k
from hive.facts.kubernetes import Manifest, PodRef, ResourceType
from hive.fleet.definitions import install, shipped
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.cluster import fleet as fleets
from tests.cluster import kubeconfig, machine
from tests.cluster.control_plane import ControlPlane
from tests.cluster.node import Node
from tests.cluster.relay import Relay
from tests.cluster.shared import Shared

HUB, EAST, WEST = "podhub", "podeast", "podwest"
MEMBERS = (EAST, WEST)
SANDBOX = "hive.fleet/sandbox"
BINDING = "hive.fleet/binding"
"""Hive's labels: of a sandbox's pods, and of all that it delivered."""
_PATIENCE = 90.0


@dataclass
class PodsFleet:
    """`kubeconfig` leads hive through `relays`, one for each cluster; `clients` go past them."""

    planes: dict[str, ControlPlane]
    nodes: dict[str, Node]
    relays: dict[str, Relay]
    kubeconfig: Path
    clients: dict[str, KubernetesCluster] = field(default_factory=dict)

    @property
    def hub(self) -> KubernetesCluster:
        return self.clients[HUB]

    @property
    def host(self) -> str:
        """Of this machine, where pods of all nodes reach it."""
        return self.nodes[EAST].host_address

    def client(self, cluster: str) -> KubernetesCluster:
        """A connection of one's own, for another thread."""
        return KubernetesCluster.from_kubeconfig(self.planes[cluster].kubeconfig, cluster, timeout=10.0)

    def pods(self, namespace: str) -> dict[str, tuple[Manifest, ...]]:
        """Of sandboxes, by member."""
        return {name: self.clients[name].list(k.PODS, namespace, labels=BINDING).items for name in MEMBERS}

    def copies(self, namespace: str, agent: str) -> set[str]:
        """Members on which anything of the agent's sandbox is that could run."""
        kinds = (k.DEPLOYMENTS, k.PODS)
        return {name for name in MEMBERS for kind in kinds if self._of(agent, name, kind, namespace)}

    def pod(self, namespace: str, agent: str) -> tuple[str, PodRef]:
        """Member and name of its one pod."""
        ((name, pod),) = ((name, pod) for name in MEMBERS for pod in self._of(agent, name, k.PODS, namespace))
        return name, PodRef(namespace, k.name_of(pod))

    def sh(self, namespace: str, agent: str, script: str) -> tuple[int, str]:
        """Exit status and output of a shell in the agent's pod."""
        name, pod = self.pod(namespace, agent)
        done = self.clients[name].run(pod, ("sh", "-c", f"exec 2>&1; {script}"), timeout=60.0)
        return done.exit_code, done.stdout.decode(errors="replace")

    def label(self, cluster: str, **labels: str) -> None:
        """As an operator does it: on the ManagedCluster."""
        self.hub.patch(k.MANAGED_CLUSTERS, cluster, {"metadata": {"labels": labels}})

    def clear(self) -> None:
        """Take away all that a test left, without hive's help."""
        for relay in self.relays.values():
            relay.heal()
        for kind in (k.SANDBOX_REQUESTS, k.BINDING_POLICIES, k.BINDINGS, k.MANAGED_CLUSTERS):
            _remove_all(self.hub, kind)
        with ThreadPoolExecutor(len(MEMBERS)) as at_once:
            list(at_once.map(self._clear_member, MEMBERS))

    def _clear_member(self, name: str) -> None:
        client = self.client(name)
        try:
            ours = [
                k.name_of(each)
                for each in client.list(k.NAMESPACES).items
                if k.labels_of(each).get("app.kubernetes.io/managed-by") == "hive"
            ]
            for namespace in ours:
                for kind in (k.DEPLOYMENTS, k.PODS):
                    _remove_all(client, kind, namespace)
                client.delete(k.NAMESPACES, namespace)
            end = time.monotonic() + _PATIENCE
            while any(_is_there(client, namespace) for namespace in ours) and time.monotonic() < end:
                time.sleep(0.2)
        finally:
            client.close()

    def close(self) -> None:
        for client in self.clients.values():
            client.close()
        for relay in self.relays.values():
            relay.close()

    def _of(self, agent: str, member: str, kind: ResourceType, namespace: str) -> Iterable[Manifest]:
        return [
            each
            for each in self.clients[member].list(kind, namespace, labels=BINDING).items
            if k.labels_of(each)[BINDING] == f"{namespace}-{agent}"
        ]


def start(shared: Shared) -> PodsFleet:
    """Raises `Unavailable` where no node can be had."""
    machine.require_node()
    run = shared.run
    started = fleets.start(run, shared.etcd(), MEMBERS, hub=HUB)
    with ThreadPoolExecutor(len(MEMBERS)) as at_once:
        nodes = dict(
            zip(MEMBERS, at_once.map(lambda name: _node(shared, started.member(name)), MEMBERS), strict=True)
        )
    planes = {each.name: each for each in started.clusters}
    relays = {name: plane.relay() for name, plane in planes.items()}
    path = kubeconfig.write(
        run.folder / "through-relays.kubeconfig",
        *(plane.context(relays[name].url()) for name, plane in planes.items()),
    )
    made = PodsFleet(planes, nodes, relays, path)
    made.clients = {name: made.client(name) for name in planes}
    assert install(made.hub, shipped(), "hive-demo", patience=_PATIENCE).is_complete
    return made


def _node(shared: Shared, plane: ControlPlane) -> Node:
    node = Node(shared.run, plane, f"{plane.name}-node")
    node.wait()
    return node


def _remove_all(client: KubernetesCluster, kind: ResourceType, namespace: str = "") -> None:
    for each in client.list(kind, namespace).items:
        name, inside = k.name_of(each), k.namespace_of(each)
        with suppress(Missing):
            client.delete(kind, name, inside)
            if each["metadata"].get("finalizers"):
                client.patch(kind, name, {"metadata": {"finalizers": None}}, inside)


def _is_there(client: KubernetesCluster, namespace: str) -> bool:
    try:
        client.get(k.NAMESPACES, namespace)
    except Missing:
        return False
    except WorldError:
        return True
    return True
