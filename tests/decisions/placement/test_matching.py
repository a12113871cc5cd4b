"""One object against one clause; the numbers are KubeStellar's facts in the project's reference."""

from __future__ import annotations

from typing import Any

import pytest

from hive.decisions.placement.matching import is_ever_sent, is_matched
from hive.facts.fleet import DownsyncClause, WorkloadObject
from tests.decisions.placement.good import selector

ONE = WorkloadObject("apps", "v1", "deployments", "ns1", "one", {"label1": "A"})
ROLE = WorkloadObject("rbac.authorization.k8s.io", "v1", "clusterroles", "", "reader")
NAMESPACE = WorkloadObject("", "v1", "namespaces", "", "ns1", {"kubernetes.io/metadata.name": "ns1"})
NAMESPACES = {"ns1": {"team": "a", "kubernetes.io/metadata.name": "ns1"}}
BROKEN = selector(("team", "In"))


def clause(**criteria: Any) -> DownsyncClause:
    return DownsyncClause(**criteria)


def found(test: DownsyncClause, item: WorkloadObject = ONE) -> bool:
    return is_matched(test, item, NAMESPACES)


@pytest.mark.parametrize(
    ("criteria", "matched"),
    [
        ({}, True),
        ({"api_group": "apps"}, True),
        ({"api_group": ""}, False),
        ({"api_group": "apps/v1"}, False),
        ({"resources": ("deployments",)}, True),
        ({"resources": ("services", "deployments")}, True),
        ({"resources": ("*",)}, True),
        ({"resources": ("services", "*")}, True),
        ({"resources": ("Deployment",)}, False),
        ({"resources": ("deploy",)}, False),
        ({"resources": ("deployments.apps",)}, False),
        ({"resources": ("deployments/status",)}, False),
        ({"namespaces": ("ns1",)}, True),
        ({"namespaces": ("ns",)}, False),
        ({"namespaces": ("*",)}, True),
        ({"namespaces": ("",)}, False),
        ({"object_names": ("one",)}, True),
        ({"object_names": ("o*",)}, False),
        ({"object_names": ("*",)}, True),
        ({"object_selectors": (selector(label1="A"),)}, True),
        ({"object_selectors": (selector(label1="B"),)}, False),
        ({"object_selectors": (selector(label1="B"), selector(label1="A"))}, True),
        ({"object_selectors": (selector(),)}, True),
        ({"object_selectors": (selector(("absent", "DoesNotExist")),)}, True),
        ({"namespace_selectors": (selector(team="a"),)}, True),
        ({"namespace_selectors": (selector(team="b"),)}, False),
        ({"namespace_selectors": (selector(team="b"), selector())}, True),
        ({"object_names": ("one",), "object_selectors": (selector(label1="B"),)}, False),
        ({"api_group": "apps", "resources": ("deployments",), "namespaces": ("ns2",)}, False),
    ],
)
def test_all_criteria_hold_and_any_entry_of_each_does(criteria: dict[str, Any], matched: bool) -> None:
    assert found(clause(**criteria)) is matched


@pytest.mark.parametrize(
    ("selectors", "matched"),
    [((BROKEN,), False), ((BROKEN, selector(label1="A")), True), ((BROKEN, selector(label1="B")), False)],
)
def test_a_broken_object_selector_is_skipped_and_its_siblings_count(
    selectors: tuple[Any, ...], matched: bool
) -> None:
    assert found(clause(object_selectors=selectors)) is matched


@pytest.mark.parametrize(
    ("selectors", "matched"),
    [((BROKEN,), False), ((BROKEN, selector(team="a")), True), ((BROKEN, selector()), True)],
)
def test_a_broken_namespace_selector_is_skipped_and_its_siblings_count(
    selectors: tuple[Any, ...], matched: bool
) -> None:
    assert found(clause(namespace_selectors=selectors)) is matched


@pytest.mark.parametrize("item", [ROLE, NAMESPACE])
@pytest.mark.parametrize(
    ("criteria", "matched"),
    [
        ({}, True),
        ({"namespaces": ("*",)}, True),
        ({"namespaces": ("",)}, True),
        ({"namespaces": ("ns1",)}, False),
        ({"namespaces": ("ns1", "*")}, True),
        ({"namespace_selectors": (selector(team="a"),)}, False),
        ({"namespace_selectors": (selector(("team", "DoesNotExist")),)}, False),
        ({"namespace_selectors": (selector(team="a"), selector())}, True),
    ],
)
def test_a_cluster_scoped_object_is_in_no_namespace(
    criteria: dict[str, Any], matched: bool, item: WorkloadObject
) -> None:
    assert found(clause(**criteria), item) is matched


def test_an_object_whose_namespace_is_not_there_passes_only_the_empty_selector() -> None:
    lost = WorkloadObject("", "v1", "configmaps", "ns9", "x")
    assert not found(clause(namespace_selectors=(selector(("team", "DoesNotExist")),)), lost)
    assert found(clause(namespace_selectors=(selector(),)), lost)


@pytest.mark.parametrize(
    ("group", "resource", "sent"),
    [
        ("", "events", False),
        ("events.k8s.io", "events", False),
        ("", "nodes", False),
        ("", "endpoints", False),
        ("storage.k8s.io", "csinodes", False),
        ("storage.k8s.io", "csistoragecapacities", False),
        ("discovery.k8s.io", "endpointslices", False),
        ("coordination.k8s.io", "leases", False),
        ("apiregistration.k8s.io", "apiservices", False),
        ("flowcontrol.apiserver.k8s.io", "flowschemas", False),
        ("control.kubestellar.io", "bindingpolicies", False),
        ("authorization.k8s.io", "subjectaccessreviews", False),
        ("", "pods", True),
        ("", "secrets", True),
        ("", "serviceaccounts", True),
        ("", "namespaces", True),
        ("apiextensions.k8s.io", "customresourcedefinitions", True),
        ("rbac.authorization.k8s.io", "clusterroles", True),
        ("storage.k8s.io", "storageclasses", True),
        ("example.com", "events", True),
        ("example.com", "nodes", True),
    ],
)
def test_some_resources_are_never_sent(group: str, resource: str, sent: bool) -> None:
    assert is_ever_sent(WorkloadObject(group, "v1", resource, "", "x")) is sent
