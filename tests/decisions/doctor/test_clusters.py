"""What is said of a hub and of a member."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from hive.decisions.doctor.clusters import (
    HUB_KINDS,
    kinds_finding,
    network_finding,
    node_findings,
    version_finding,
)
from hive.decisions.doctor.finding import State
from hive.decisions.doctor.rights import Right, hub_rights, is_allowed, member_rights, rights_finding
from hive.decisions.inventory.shapes import NodeShape
from hive.facts.kubernetes import BINDINGS, PODS, ResourceType

CILIUM = ResourceType("cilium.io", "v2", "ciliumnodes", "CiliumNode", is_namespaced=False)


def node(name: str, *, ready: str = "True", **allocatable: str) -> NodeShape:
    status = {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": ready}]}
    return msgspec.convert({"metadata": {"name": name}, "status": status}, NodeShape)


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("v1.36.3", State.OK),
        ("v1.30.0+k3s1", State.OK),
        ("v1.29.9", State.WARNING),
        ("v2.0.0", State.OK),
        ("strange", State.OK),
    ],
)
def test_an_old_server_is_told(version: str, state: State) -> None:
    assert version_finding("cluster east", "east", version).state is state


def test_kinds_that_a_hub_does_not_serve_are_named_with_the_command_that_installs_them() -> None:
    assert kinds_finding("hub", HUB_KINDS).state is State.OK
    told = kinds_finding("hub", [each for each in HUB_KINDS if each != BINDINGS])
    assert (told.state, told.found) == (
        State.PROBLEM,
        "it does not serve bindings.control.kubestellar.io",
    )
    assert told.remedy == "install them: hive install --crds"


def test_a_kind_in_another_version_is_a_warning() -> None:
    served = [replace(each, version="v9") if each == BINDINGS else each for each in HUB_KINDS]
    assert kinds_finding("hub", served).state is State.WARNING


def test_nodes_and_their_devices_are_counted_and_only_ready_ones() -> None:
    nodes = [
        node("a", **{"cpu": "4", "nvidia.com/gpu": "2", "hugepages-2Mi": "0"}),
        node("b", **{"nvidia.com/gpu": "1"}),
        node("c", ready="False", **{"nvidia.com/gpu": "8"}),
    ]
    assert [(each.state, each.found) for each in node_findings("cluster east", nodes)] == [
        (State.OK, "2 of 3 ready"),
        (State.OK, "3 nvidia.com/gpu"),
    ]


def test_a_member_without_a_ready_node_is_a_warning() -> None:
    assert [each.state for each in node_findings("cluster east", [])] == [State.WARNING, State.OK]


@pytest.mark.parametrize(
    ("served", "apps", "version", "state"),
    [
        ((), (), "v1.36.3", State.WARNING),
        ((CILIUM,), (), "v1.36.3", State.OK),
        ((), ("calico-node", "calico-node"), "v1.36.3", State.OK),
        ((), ("flannel",), "v1.36.3", State.WARNING),
        ((), (), "v1.36.3+k3s1", State.OK),
    ],
)
def test_a_network_that_is_not_known_to_keep_pods_apart_is_a_warning(
    served: tuple[ResourceType, ...], apps: tuple[str, ...], version: str, state: State
) -> None:
    assert network_finding("cluster east: network", served, apps, version).state is state


def test_a_right_is_asked_for_as_kubernetes_takes_it() -> None:
    right = Right("create", PODS, "exec", "hive")
    assert str(right) == "create pods/exec"
    assert right.review() == {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "metadata": {},
        "spec": {
            "resourceAttributes": {
                "verb": "create",
                "version": "v1",
                "resource": "pods",
                "subresource": "exec",
                "namespace": "hive",
            }
        },
    }
    assert str(Right("patch", BINDINGS, "status")) == "patch bindings.control.kubestellar.io/status"


@pytest.mark.parametrize("answer", [{}, {"status": {}}, {"status": {"allowed": False, "denied": True}}])
def test_only_a_plain_yes_is_a_yes(answer: dict[str, object]) -> None:
    assert not is_allowed(answer)
    assert is_allowed({"status": {"allowed": True}})


def test_rights_that_are_missing_are_named_but_not_endlessly() -> None:
    rights = hub_rights("hive")
    assert rights_finding("hub: rights", "hub", len(rights), ()).state is State.OK
    told = rights_finding("hub: rights", "hub", len(rights), rights[:8])
    assert told.state is State.PROBLEM
    assert told.found.endswith(" and 2 more")
    assert "context hub" in told.remedy


def test_no_right_is_asked_twice() -> None:
    for rights in (hub_rights("hive"), member_rights("hive")):
        assert len(set(rights)) == len(rights)
