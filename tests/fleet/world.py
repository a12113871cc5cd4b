"""A hub and members in memory, with what their controllers would do, and a fleet controller that can die."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from hive.decisions.inventory.managed_clusters import Away
from hive.decisions.sandbox import GatewayAddress
from hive.errors import Missing
from hive.facts.fleet import UNIT, Amount, Cluster, Node, Observation, Problem, Taint
from hive.facts.fleet_sighting import FleetSighting, SandboxSighting
from hive.facts.kubernetes import (
    BINDING_POLICIES,
    BINDINGS,
    DEPLOYMENTS,
    NAMESPACES,
    PODS,
    SANDBOX_REQUESTS,
    SECRETS,
    Manifest,
    ResourceType,
    is_deleting,
    name_of,
    namespace_of,
)
from hive.fleet.controller import FleetController
from hive.settings.sandbox_templates import load_templates
from tests.fakes.kubernetes import FakeKubernetes

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GATEWAY = GatewayAddress("10.0.0.1", 8443)
_TEMPLATES = load_templates()
GI = 1024**3 * UNIT


class StubInventory:
    """The clusters that a test says there are; each is seen now unless it is `away`."""

    def __init__(self, *names: str) -> None:
        self.clusters: dict[str, Cluster] = {}
        self.away: dict[str, Away] = {}
        self.problems: tuple[Problem, ...] = ()
        self.hidden: set[str] = set()
        for name in names:
            self.add(name)

    def add(
        self,
        name: str,
        *,
        labels: Mapping[str, str] | None = None,
        node_labels: Mapping[str, str] | None = None,
        taints: tuple[Taint, ...] = (),
        more: Mapping[str, Amount] | None = None,
    ) -> None:
        allocatable = {"cpu": 8 * UNIT, "memory": 32 * GI, "pods": 110 * UNIT}
        allocatable |= more or {}
        node = Node(f"{name}-1", node_labels or {}, allocatable=allocatable)
        known = {"hive.fleet/cluster": name, **(labels or {})}
        self.clusters[name] = Cluster(name, known, taints, seen=Observation(name, START, (node,)))

    def look(self, now: datetime) -> tuple[Cluster, ...]:
        return tuple(self._seen(each, now) for _, each in sorted(self.clusters.items()))

    def _seen(self, cluster: Cluster, now: datetime) -> Cluster:
        nodes = cluster.seen.nodes if cluster.seen else ()
        if cluster.name in self.hidden:
            return Cluster(
                cluster.name, cluster.labels, cluster.taints, available="Unknown", seen=cluster.seen
            )
        seen = Observation(cluster.name, now, nodes)
        return Cluster(
            cluster.name, cluster.labels, cluster.taints, is_deleting=cluster.is_deleting, seen=seen
        )


@dataclass
class Tokens:
    """Credentials that a test can look into."""

    good: dict[tuple[str, str], bytes] = field(default_factory=dict)
    minted: int = 0
    revoked: list[tuple[str, str]] = field(default_factory=list)

    def mint(self, request: str, cluster: str) -> Mapping[str, bytes]:
        self.minted += 1
        self.good[request, cluster] = f"token-{self.minted}".encode()
        return {"token": self.good[request, cluster], "ca.pem": b"CA"}

    def is_current(self, request: str, cluster: str, data: Mapping[str, bytes]) -> bool:
        return data == {"token": self.good.get((request, cluster)), "ca.pem": b"CA"}

    def revoke(self, request: str, cluster: str) -> None:
        if self.good.pop((request, cluster), None) is not None:
            self.revoked.append((request, cluster))


class World:
    """`collects`: whether the hub has a garbage collector."""

    def __init__(self, *names: str, collects: bool = False) -> None:
        self.hub = FakeKubernetes("hub", collects=collects)
        self.hub.create(NAMESPACES, {"metadata": {"name": "hive"}})
        self.members = {name: FakeKubernetes(name, collects=True) for name in names}
        self.inventory = StubInventory(*names)
        self.tokens = Tokens()
        self.now = START
        self.controller = self.start()
        for each in self.servers:
            each.writes.clear()

    def start(self) -> FleetController:
        """A controller that knows nothing of the one before."""
        self.controller = FleetController(
            self.hub,
            {name: _to(each) for name, each in self.members.items()},
            self.inventory,
            templates=_TEMPLATES,
            image="example.org/agent:1",
            gateway=GATEWAY,
            credentials=self.tokens,
            seconds=20.0,
        )
        return self.controller

    def reconcile(self, *, pods: bool = True) -> FleetSighting:
        """One round, and what the members' own controllers do after it."""
        self.now += timedelta(seconds=5)
        sighting = self.controller.reconcile(self.now)
        if pods:
            self.run_pods()
        return sighting

    def settle(self, rounds: int = 12) -> FleetSighting:
        """Rounds until nothing is written any more."""
        for _ in range(rounds):
            self.forget_writes()
            sighting = self.reconcile()
            if not self.writes():
                return sighting
        raise AssertionError(f"it does not come to rest: {self.writes()}")

    def run_pods(self) -> None:
        """A ready pod for each Deployment, on each member that is there."""
        with self.unhooked():
            for name, member in self.members.items():
                written = [*member.writes]
                if not member.away:
                    for each in member.list(DEPLOYMENTS).items:
                        _make_pod(member, each, f"{name}-1")
                member.writes[:] = written

    @contextmanager
    def unhooked(self) -> Iterator[None]:
        """What others than hive do meets no fault."""
        hooks = [each.before for each in self.servers]
        for each in self.servers:
            each.before = None
        yield
        for each, hook in zip(self.servers, hooks, strict=True):
            each.before = hook

    @property
    def servers(self) -> tuple[FakeKubernetes, ...]:
        return (self.hub, *self.members.values())

    def ask(self, name: str, namespace: str = "hive", **spec: Any) -> Manifest:
        if (namespace) not in {name_of(each) for each in self.hub.list(NAMESPACES).items}:
            self.hub.create(NAMESPACES, {"metadata": {"name": namespace}})
        manifest = {
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"template": "cpu", **spec},
        }
        return self.hub.create(SANDBOX_REQUESTS, manifest)

    def change(self, name: str, namespace: str = "hive", **spec: Any) -> None:
        self.hub.patch(SANDBOX_REQUESTS, name, {"spec": spec}, namespace)

    def withdraw(self, name: str, namespace: str = "hive") -> None:
        self.hub.delete(SANDBOX_REQUESTS, name, namespace)

    def policy(self, name: str, **spec: Any) -> Manifest:
        return self.hub.create(BINDING_POLICIES, {"metadata": {"name": name}, "spec": spec})

    def relabel(self, cluster: str, **labels: str) -> None:
        known = self.inventory.clusters[cluster]
        self.inventory.add(cluster, labels={**known.labels, **labels})

    def cut_off(self, cluster: str) -> None:
        self.members[cluster].away = True
        self.inventory.hidden.add(cluster)

    def bring_back(self, cluster: str) -> None:
        self.members[cluster].away = False
        self.inventory.hidden.discard(cluster)

    def copies(self, namespace: str, name: str) -> set[str]:
        """The members that really have a Deployment or a pod of the sandbox, seen or not."""
        found = set()
        for cluster, member in self.members.items():
            for kind in (DEPLOYMENTS, PODS):
                for each in everything(member, kind):
                    if namespace_of(each) == namespace and name_of(each).split(".")[0] == name:
                        found.add(cluster)
        return found

    def binding(self, name: str) -> Manifest | None:
        return find(self.hub, BINDINGS, name)

    def secret(self, cluster: str, name: str) -> Manifest | None:
        return find(self.members[cluster], SECRETS, name, "hive")

    def writes(self) -> list[str]:
        """All that were carried out since the last `forget_writes`."""
        return [
            f"{each.name}: {write}" for each in (self.hub, *self.members.values()) for write in each.writes
        ]

    def forget_writes(self) -> None:
        for each in self.servers:
            each.writes.clear()


def _to(api: FakeKubernetes) -> Callable[[], FakeKubernetes]:
    return lambda: api


def find(api: FakeKubernetes, kind: ResourceType, name: str, namespace: str = "") -> Manifest | None:
    try:
        return api.get(kind, name, namespace)
    except Missing:
        return None


def everything(api: FakeKubernetes, kind: ResourceType) -> tuple[Manifest, ...]:
    """Whether or not hive can see it."""
    away, api.away = api.away, False
    hook, api.before = api.before, None
    try:
        return api.list(kind).items
    finally:
        api.away, api.before = away, hook


def sandbox(sighting: FleetSighting, request: str) -> SandboxSighting:
    return next(each for each in sighting.sandboxes if each.request == request)


def on_write(act: Callable[[int], None]) -> Callable[[str, ResourceType, str], None]:
    """A hook that counts the writes of one API server, from 1, ahead of each."""
    count = 0

    def hook(verb: str, kind: ResourceType, name: str) -> None:
        nonlocal count
        if verb in ("create", "replace", "patch", "apply", "delete"):
            count += 1
            act(count)

    return hook


def _make_pod(member: FakeKubernetes, deployment: Manifest, node: str) -> None:
    namespace, name = namespace_of(deployment), name_of(deployment)
    if is_deleting(deployment) or find(member, PODS, f"{name}.pod", namespace) is not None:
        return
    template = deployment["spec"]["template"]
    owner = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": name,
        "uid": deployment["metadata"]["uid"],
        "controller": True,
    }
    member.create(
        PODS,
        {
            "metadata": {
                "name": f"{name}.pod",
                "namespace": namespace,
                "labels": template["metadata"]["labels"],
                "ownerReferences": [owner],
            },
            "spec": {**template["spec"], "nodeName": node},
        },
    )
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-30T12:00:01Z"}
    member.set_status(PODS, f"{name}.pod", {"phase": "Running", "conditions": [ready]}, namespace)
