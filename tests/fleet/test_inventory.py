from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

from hive.decisions.inventory.managed_clusters import Away
from hive.decisions.inventory.roll import DOES_NOT_ANSWER, NO_CONNECTION, Declared
from hive.errors import ConfigError, Missing, Unreachable
from hive.facts.fleet import UNIT, Cluster, Node, Observation, Problem
from hive.facts.kubernetes import CLUSTER_FACTS, MANAGED_CLUSTERS, NODES, PODS, ResourceType
from hive.fleet.inventory import Inventory
from hive.fleet.registration import Origin
from hive.ports.kubernetes import Kubernetes
from tests.fakes.kubernetes import FakeKubernetes

T = TypeVar("T")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
EAST = "cluster.open-cluster-management.io/v1/managedclusters//east"


def member(name: str, cpu: str = "4") -> FakeKubernetes:
    """A cluster of one node and one pod that asks for a core."""
    cluster = FakeKubernetes(name)
    node = f"{name}-node"
    cluster.create(NODES, {"metadata": {"name": node, "labels": {"disk": "ssd"}}})
    ready = [{"type": "Ready", "status": "True"}]
    status = {"allocatable": {"cpu": cpu}, "capacity": {"cpu": cpu}, "conditions": ready}
    cluster.patch(NODES, node, {"status": status}, subresource="status")
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
    for pod, phase in (("busy", "Running"), ("done", "Succeeded")):
        spec = {"nodeName": node, "containers": containers}
        cluster.create(PODS, {"metadata": {"name": pod, "namespace": "default"}, "spec": spec})
        cluster.patch(PODS, pod, {"status": {"phase": phase}}, "default", subresource="status")
    return cluster


def seen(name: str, at: datetime = NOW, cpu: int = 4) -> Observation:
    node = Node(f"{name}-node", {"disk": "ssd"}, (), {"cpu": cpu * UNIT}, {"cpu": UNIT, "pods": UNIT})
    return Observation(name, at, (node,))


def condition(hub: FakeKubernetes, name: str = "east") -> Mapping[str, Any]:
    """Whether the ManagedCluster is available, as the hub has it."""
    found: Mapping[str, Any] = hub.get(MANAGED_CLUSTERS, name)["status"]["conditions"][1]
    assert found["type"] == "ManagedClusterConditionAvailable"
    return found


@pytest.fixture
def hub() -> FakeKubernetes:
    return FakeKubernetes("hub")


@pytest.fixture
def east() -> FakeKubernetes:
    return member("east")


def inventory(hub: Kubernetes, *members: FakeKubernetes, **more: Any) -> Inventory:
    connects = {each.name: (lambda each=each: each) for each in members}
    return Inventory(hub, connects, **{"deadline": 5.0, **more})


def test_a_member_is_written_to_the_hub_with_what_it_has(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    origins = {"east": Origin("kind-east", {"env": "prod"})}
    found = inventory(hub, east, origins=origins).look(NOW)
    labels = {"env": "prod", "hive.fleet/cluster": "east"}
    assert found == (Cluster("east", labels, seen=seen("east")),)
    written = hub.get(MANAGED_CLUSTERS, "east")
    assert written["metadata"]["labels"] == labels
    assert written["metadata"]["annotations"]["hive.fleet/registered"] == "kind-east"
    assert written["status"]["allocatable"] == {"cpu": "4"}
    assert written["status"]["version"] == {"kubernetes": "v1.36.3"}
    assert condition(hub)["status"] == "True"


def test_looking_again_writes_nothing_where_nothing_changed(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    look = inventory(hub, east).look
    look(NOW)
    hub.writes.clear()
    assert look(NOW + MINUTE)[0].seen == seen("east", NOW + MINUTE)
    assert hub.writes == []


def test_a_member_that_goes_away_is_unknown_on_the_hub_at_once_and_for_placement_when_its_look_is_old(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    fleet = inventory(hub, east)
    fleet.look(NOW)
    east.away = True
    (found,) = fleet.look(NOW + MINUTE)
    assert (found.available, found.taints, found.seen) == ("True", (DOES_NOT_ANSWER,), seen("east"))
    assert (condition(hub)["status"], condition(hub)["lastTransitionTime"]) == (
        "Unknown",
        "2026-11-30T12:01:00Z",
    )
    assert [(problem.object, problem.message) for problem in fleet.problems] == [
        (EAST, fleet.away["east"].because)
    ]
    (found,) = fleet.look(NOW + 6 * MINUTE)
    assert (found.available, found.taints, found.seen) == ("Unknown", (), seen("east"))
    assert fleet.away["east"].since == NOW + MINUTE


def test_a_member_that_comes_back_is_as_before(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    fleet = inventory(hub, east)
    before = fleet.look(NOW)
    east.away = True
    fleet.look(NOW + 10 * MINUTE)
    east.away = False
    (found,) = fleet.look(NOW + 11 * MINUTE)
    assert found == Cluster("east", before[0].labels, seen=seen("east", NOW + 11 * MINUTE))
    assert (fleet.away, fleet.problems, condition(hub)["status"]) == ({}, (), "True")


def test_since_when_a_member_is_away_is_remembered_by_the_hub(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    first = inventory(hub, east)
    first.look(NOW)
    east.away = True
    first.look(NOW + MINUTE)
    again = inventory(hub, east)
    (found,) = again.look(NOW + 2 * MINUTE)
    assert again.away["east"].since == NOW + MINUTE
    assert (found.available, found.seen) == ("Unknown", None)


def test_a_member_that_was_never_reached_is_registered_as_unknown_in_the_second_round(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    east.away = True
    fleet = inventory(hub, east)
    assert fleet.look(NOW) == ()
    assert fleet.look(NOW + MINUTE) == (Cluster("east", {"hive.fleet/cluster": "east"}, available="Unknown"),)
    assert condition(hub)["message"] == fleet.away["east"].because


def test_deleting_the_managed_cluster_of_a_member_that_is_away_is_the_last_word(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    fleet = inventory(hub, east)
    fleet.look(NOW)
    east.away = True
    fleet.look(NOW + MINUTE)
    hub.delete(MANAGED_CLUSTERS, "east")
    assert [fleet.look(NOW + each * MINUTE) for each in (2, 3, 4)] == [(), (), ()]
    east.away = False
    assert [each.name for each in fleet.look(NOW + 5 * MINUTE)] == ["east"]


def test_a_cluster_that_others_registered_gets_a_label_and_keeps_its_status(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    theirs = {"metadata": {"name": "east", "labels": {"region": "eu"}}, "spec": {"hubAcceptsClient": True}}
    hub.create(MANAGED_CLUSTERS, theirs)
    hub.create(MANAGED_CLUSTERS, {"metadata": {"name": "far"}, "spec": {"hubAcceptsClient": True}})
    hub.writes.clear()
    found = inventory(hub, east, origins={"east": Origin("east", {"env": "prod"})}).look(NOW)
    assert found == (
        Cluster("east", {"region": "eu", "hive.fleet/cluster": "east"}, seen=seen("east")),
        Cluster("far", {"hive.fleet/cluster": "far"}, (NO_CONNECTION,), available=None),
    )
    assert hub.writes == ["patch ManagedCluster east", "patch ManagedCluster far"]
    assert "status" not in hub.get(MANAGED_CLUSTERS, "east")


@pytest.mark.parametrize(
    ("said", "available"), [("False", "False"), ("Unknown", "Unknown"), ("True", "True")]
)
def test_what_others_say_of_a_cluster_that_they_registered_counts(
    hub: FakeKubernetes, east: FakeKubernetes, said: str, available: str
) -> None:
    hub.create(MANAGED_CLUSTERS, {"metadata": {"name": "east"}, "spec": {"hubAcceptsClient": True}})
    conditions = [{"type": "ManagedClusterConditionAvailable", "status": said}]
    hub.patch(MANAGED_CLUSTERS, "east", {"status": {"conditions": conditions}}, subresource="status")
    (found,) = inventory(hub, east).look(NOW)
    assert (found.available, found.seen) == (available, seen("east"))


def test_a_label_that_an_operator_changes_stays_changed(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    fleet = inventory(hub, east, origins={"east": Origin("east", {"env": "prod"})})
    fleet.look(NOW)
    hub.patch(MANAGED_CLUSTERS, "east", {"metadata": {"labels": {"env": "test", "team": "a"}}})
    labels = {"env": "test", "team": "a", "hive.fleet/cluster": "east"}
    assert [fleet.look(NOW + each * MINUTE)[0].labels for each in (1, 2)] == [labels, labels]


def test_a_member_that_left_the_configuration_is_unknown_until_somebody_deletes_it(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    inventory(hub, east, origins={"east": Origin("east", {"env": "prod"})}).look(NOW)
    fleet = inventory(hub)
    (found,) = fleet.look(NOW + MINUTE)
    assert (found.available, found.taints, found.labels["env"]) == ("Unknown", (NO_CONNECTION,), "prod")
    said = "no context of the configuration leads to it; delete it if it is gone for good"
    assert fleet.problems == (Problem(EAST, said),)


def test_one_that_is_being_deleted_is_left_alone(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    going = {
        "metadata": {"name": "east", "finalizers": ["somebody/else"]},
        "spec": {"hubAcceptsClient": True},
    }
    hub.create(MANAGED_CLUSTERS, going)
    hub.delete(MANAGED_CLUSTERS, "east")
    hub.writes.clear()
    (found,) = inventory(hub, east).look(NOW)
    assert found.is_deleting
    assert hub.writes == []


def test_a_reader_writes_nothing(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    hub.create(MANAGED_CLUSTERS, {"metadata": {"name": "east"}, "spec": {"hubAcceptsClient": True}})
    hub.writes.clear()
    fleet = inventory(hub, east, member("west"), registers=False)
    assert fleet.look(NOW) == (Cluster("east", seen=seen("east")),)
    assert hub.writes == []
    assert sorted(fleet.looks) == ["east", "west"]


def test_a_hub_without_the_kinds_says_how_to_get_them(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    hub.unserved.add(MANAGED_CLUSTERS)
    with pytest.raises(Missing, match="the hub hub knows no ManagedClusters; run 'hive install --crds'"):
        inventory(hub, east).look(NOW)


def test_what_others_observed_counts_and_what_is_wrong_in_it_is_its_own_problem(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    east.away = True
    hub.create(MANAGED_CLUSTERS, {"metadata": {"name": "east"}, "spec": {"hubAcceptsClient": True}})
    hub.create(MANAGED_CLUSTERS, {"metadata": {"name": "far"}, "spec": {"hubAcceptsClient": True}})
    for name, cpu in (("east", "4"), ("far", "four")):
        hub.create(
            CLUSTER_FACTS,
            {
                "metadata": {"name": name},
                "spec": {
                    "observedAt": "2026-11-30T11:59:00Z",
                    "nodes": [{"name": "n", "count": 1, "allocatable": {"cpu": cpu, "pods": 110}}],
                },
            },
        )
    fleet = inventory(hub, east)
    near, far = fleet.look(NOW)
    assert near.seen == Observation(
        "east", NOW - MINUTE, (Node("n", allocatable={"cpu": 4 * UNIT, "pods": 110 * UNIT}),)
    )
    assert far.seen is None
    assert [each.object for each in fleet.problems] == [
        EAST,
        "hive.fleet/v1alpha1/clusterfacts//far",
    ]
    assert "'four' is no quantity" in fleet.problems[1].message


def test_a_managed_cluster_that_cannot_be_read_is_not_taken_to_be_gone(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    taints = [{"key": "k", "effect": "NoSchedule"}]
    hub.create(MANAGED_CLUSTERS, {"metadata": {"name": "east"}, "spec": {"taints": taints}})
    fleet = inventory(hub, east)
    labels = {"hive.fleet/cluster": "east"}
    assert fleet.look(NOW) == (
        Cluster("east", labels, is_accepted=False, available="Unknown", seen=seen("east")),
    )
    said = "spec.taints[0].effect: 'NoSchedule' is none of NoSelect, PreferNoSelect, NoSelectIfNew"
    assert fleet.problems == (Problem(EAST, said),)


def test_a_file_that_cannot_be_read_is_a_problem_and_nothing_else(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    def broken() -> Declared:
        raise ConfigError("the key 'x' is given twice", source="clusters.yaml", line=3)

    fleet = inventory(hub, east, declared=broken)
    assert [each.name for each in fleet.look(NOW)] == ["east"]
    assert fleet.problems == (Problem("clusters.yaml", "clusters.yaml:3: the key 'x' is given twice"),)


def test_a_hub_that_is_away_fails_the_look(hub: FakeKubernetes, east: FakeKubernetes) -> None:
    hub.away = True
    with pytest.raises(Unreachable):
        inventory(hub, east).look(NOW)


def test_a_node_that_cannot_be_read_makes_the_cluster_unknown(
    hub: FakeKubernetes, east: FakeKubernetes
) -> None:
    east.patch(NODES, "east-node", {"status": {"allocatable": {"cpu": "lots"}}}, subresource="status")
    fleet = inventory(hub, east)
    fleet.look(NOW)
    (found,) = fleet.look(NOW)
    assert (found.available, found.seen) == ("Unknown", None)
    assert "east: node east-node: 'lots' is no quantity" in fleet.away["east"].because


class Hanging(FakeKubernetes):
    """Answers nothing until it is let go."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.released = threading.Event()
        self.asked = 0

    def list_as(
        self, kind: ResourceType, shape: type[T], namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> tuple[T, ...]:
        if kind == NODES:
            self.asked += 1
            self.released.wait(30)
        return super().list_as(kind, shape, namespace, labels=labels, fields=fields)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    cluster = Hanging("slow")
    yield cluster
    cluster.released.set()


def until(condition: Any) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_member_that_hangs_holds_up_nobody_and_is_asked_by_one_thread(
    hub: FakeKubernetes, east: FakeKubernetes, hanging: Hanging
) -> None:
    fleet = inventory(hub, east, hanging, deadline=0.2)
    begun = time.monotonic()
    assert [each.name for each in fleet.look(NOW)] == ["east"]
    fleet.look(NOW + MINUTE)
    assert time.monotonic() - begun < 5
    assert hanging.asked == 1
    assert fleet.away == {"slow": Away(NOW, "slow has not answered since 12:00:00Z")}


def test_an_answer_that_comes_late_counts_from_when_it_was_asked_for(
    hub: FakeKubernetes, hanging: Hanging
) -> None:
    fleet = inventory(hub, hanging, deadline=0.2)
    fleet.look(NOW)
    hanging.released.set()
    until(lambda: not any(one.name == "inventory-slow" for one in threading.enumerate()))
    hanging.released.clear()
    (found,) = fleet.look(NOW + MINUTE)
    assert found.seen == Observation("slow", NOW)
    assert fleet.away == {}


def test_a_client_is_made_once_and_closed_with_the_inventory(hub: FakeKubernetes) -> None:
    class Counted(FakeKubernetes):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    made: list[Counted] = []

    def connect() -> Kubernetes:
        made.append(Counted("east"))
        return made[-1]

    fleet = Inventory(hub, {"east": connect})
    fleet.look(NOW)
    fleet.look(NOW + MINUTE)
    fleet.close()
    assert [each.closed for each in made] == [1]


def test_a_context_that_cannot_be_used_is_a_member_that_does_not_answer(hub: FakeKubernetes) -> None:
    def connect() -> Kubernetes:
        raise ConfigError("there is no context 'east'; the file has: hub", source="/etc/kube")

    fleet = Inventory(hub, {"east": connect})
    fleet.look(NOW)
    assert fleet.away["east"].because == "there is no context 'east'; the file has: hub"
