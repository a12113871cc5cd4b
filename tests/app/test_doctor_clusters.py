"""The hub and the members of a configuration, over API servers in memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import pytest

from hive.app import clusters
from hive.app.doctor.clusters import cluster_checks
from hive.app.doctor.examination import examine
from hive.decisions.doctor.finding import Finding, State
from hive.decisions.doctor.rights import REVIEWS
from hive.errors import Refused
from hive.facts.kubernetes import NODES, PODS, SANDBOX_REQUESTS, SECRETS, Manifest, ResourceType
from hive.settings.fleet import FleetSettings, MemberSettings
from tests.fakes.kubernetes import FakeKubernetes

FLEET = FleetSettings(
    kubeconfig="kube",
    hub="hub",
    members=(MemberSettings("east", "east"), MemberSettings("west-context", "west")),
    inventory=None,
    namespace="hive",
    stale_after=timedelta(minutes=5),
    image=None,
)


class Reviewing(FakeKubernetes):
    """Answers SelfSubjectAccessReviews: `denied` are ``verb plural``."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.denied: set[str] = set()

    def create(self, kind: ResourceType, manifest: Manifest, *, dry_run: bool = False) -> Manifest:
        if kind != REVIEWS:
            return super().create(kind, manifest, dry_run=dry_run)
        self.version()  # away is away
        asked = manifest["spec"]["resourceAttributes"]
        is_denied = f"{asked['verb']} {asked['resource']}" in self.denied
        return {**manifest, "status": {"allowed": not is_denied}}


Servers = Mapping[str, Reviewing]


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Servers:
    """By context; each has a node with a GPU and pods of Cilium."""
    found = {name: Reviewing(name) for name in ("hub", "east", "west-context")}
    for each in found.values():
        ready = [{"type": "Ready", "status": "True"}]
        status = {"allocatable": {"cpu": "4", "nvidia.com/gpu": "1"}, "conditions": ready}
        each.create(NODES, {"metadata": {"name": "n"}})
        each.patch(NODES, "n", {"status": status}, subresource="status")
        each.create(
            PODS,
            {
                "metadata": {
                    "name": "cilium",
                    "namespace": "default",
                    "labels": {"k8s-app": "cilium"},
                },
                "spec": {"containers": []},
            },
        )
        each.patch(PODS, "cilium", {"status": {"phase": "Running"}}, "default", subresource="status")
        each.writes.clear()

    def connect(fleet: FleetSettings, context: str, *, timeout: float = 0) -> FakeKubernetes:
        return found[context]

    monkeypatch.setattr(clusters, "connect", connect)
    return found


def look() -> dict[str, Finding]:
    return {each.name: each for each in examine(cluster_checks(FLEET), patience=20)}


def not_ok(found: Mapping[str, Finding]) -> dict[str, tuple[State, str]]:
    return {name: (each.state, each.found) for name, each in found.items() if each.state is not State.OK}


def test_a_good_fleet_is_fine_in_all_and_nothing_is_written(servers: Servers) -> None:
    found = look()
    assert not_ok(found) == {}
    assert [*found] == [
        "hub hub",
        "hub hub: kinds",
        "hub hub: rights",
        *(
            f"cluster {name}{part}"
            for name in ("east", "west")
            for part in ("", ": rights", ": nodes", ": devices", ": network")
        ),
    ]
    assert found["cluster west"].found == "context west-context, v1.36.3"
    assert found["cluster east: devices"].found == "1 nvidia.com/gpu"
    assert [each.writes for each in servers.values()] == [[], [], []]


def test_a_member_that_is_away_is_one_problem_and_hides_no_other(servers: Servers) -> None:
    servers["east"].away = True
    found = look()
    assert [*not_ok(found)] == ["cluster east"]
    assert found["cluster east"].state is State.PROBLEM


def test_a_hub_that_lacks_a_kind_or_a_right_says_which(servers: Servers) -> None:
    servers["hub"].unserved = {SANDBOX_REQUESTS}
    servers["hub"].denied = {"delete bindings"}
    assert not_ok(look()) == {
        "hub hub: kinds": (State.PROBLEM, "it does not serve sandboxrequests.hive.fleet"),
        "hub hub: rights": (State.PROBLEM, "it may not delete bindings.control.kubestellar.io"),
    }


def test_a_member_that_hides_its_nodes_still_says_the_rest(servers: Servers) -> None:
    def hidden(verb: str, kind: ResourceType, name: str) -> None:
        if kind == NODES:
            raise Refused("kubernetes", "east: list nodes: 403 nodes is forbidden")

    servers["east"].before = hidden
    servers["east"].denied = {"create secrets"}
    servers["east"].delete(PODS, "cilium", "default")
    found = not_ok(look())
    assert found["cluster east: rights"] == (State.PROBLEM, f"it may not create {SECRETS.plural}")
    assert found["cluster east: nodes"] == (State.PROBLEM, "east: list nodes: 403 nodes is forbidden")
    assert found["cluster east: network"][0] is State.WARNING
    assert len(found) == 3
