from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive.decisions.placement import PolicyBinding
from hive.facts.fleet import (
    BindingPolicy,
    DownsyncClause,
    LabelSelector,
    Modulation,
    Problem,
    WorkloadObject,
)
from tests.decisions.placement.good import cluster, decided, selector

CLUSTERS = (
    cluster("c2", labels={"name": "c2", "env": "prod"}),
    cluster("c10", labels={"name": "c10", "env": "prod"}),
    cluster("c1", labels={"name": "c1"}),
    cluster("bare"),
)
MAP = WorkloadObject("", "v1", "configmaps", "a", "x", {"app": "x"})
OTHER = WorkloadObject("", "v1", "configmaps", "a-b", "x", {"app": "y"})
DEPLOYMENT = WorkloadObject("apps", "v1", "deployments", "a", "x", {"app": "x"})
NAMESPACE = WorkloadObject("", "v1", "namespaces", "", "a", {"team": "a"})
OBJECTS = (DEPLOYMENT, OTHER, NAMESPACE, MAP)
EVERYTHING = DownsyncClause(resources=("*",))
PLAIN = Modulation()
ID = "control.kubestellar.io/v1alpha1/bindingpolicies//p"


def policy(
    *selectors: LabelSelector, downsync: tuple[DownsyncClause, ...] = (EVERYTHING,), **fields: Any
) -> BindingPolicy:
    return BindingPolicy("p", selectors or (selector(),), downsync, **fields)


def bound(given: BindingPolicy) -> PolicyBinding:
    found = decided(clusters=CLUSTERS, policies=(given,), objects=OBJECTS)
    assert found.problems == ()
    return found.bindings[0]


def said(given: BindingPolicy) -> tuple[PolicyBinding, list[str]]:
    found = decided(clusters=CLUSTERS, policies=(given,), objects=OBJECTS)
    assert {each.object for each in found.problems} <= {ID}
    return found.bindings[0], [each.message for each in found.problems]


def test_a_binding_lists_clusters_and_objects_in_plain_string_order() -> None:
    expected = PolicyBinding(
        "p",
        ("bare", "c1", "c10", "c2"),
        (
            ("apps/v1/deployments/a/x", PLAIN),
            ("v1/configmaps/a-b/x", PLAIN),
            ("v1/configmaps/a/x", PLAIN),
            ("v1/namespaces//a", PLAIN),
        ),
    )
    assert bound(policy()) == expected


def test_cluster_selectors_are_alternatives_and_each_cluster_is_chosen_once() -> None:
    found = bound(policy(selector(name="c1"), selector(("name", "In", "c1", "c2", "c3"))))
    assert found.clusters == ("c1", "c2")


@pytest.mark.parametrize(
    ("operator", "clusters"),
    [
        (("env", "NotIn", "prod"), ("bare", "c1")),
        (("env", "DoesNotExist"), ("bare", "c1")),
        (("env", "In", "prod"), ("c10", "c2")),
        (("env", "Exists"), ("c10", "c2")),
    ],
)
def test_an_absent_key_is_not_in_and_does_not_exist(
    operator: tuple[str, ...], clusters: tuple[str, ...]
) -> None:
    assert bound(policy(selector(operator))).clusters == clusters


def test_only_labels_of_clusters_count_never_their_health() -> None:
    sick = cluster("sick", seen_at=None, is_accepted=False, available="Unknown")
    found = decided(clusters=(sick,), policies=(policy(),))
    assert found.bindings[0].clusters == ("sick",)


def test_a_cluster_that_is_being_deleted_is_chosen_by_nothing() -> None:
    found = decided(clusters=(cluster("dying", is_deleting=True), cluster("east")), policies=(policy(),))
    assert found.bindings[0].clusters == ("east",)


def test_no_cluster_selector_chooses_none_and_is_remarked_on() -> None:
    found, messages = said(replace(policy(), cluster_selectors=()))
    assert found.clusters == ()
    assert len(found.objects) == 4
    assert messages == ["clusterSelectors is empty, which chooses no cluster; write [{}] for all"]


def test_no_clause_binds_no_object_and_is_an_entry_all_the_same() -> None:
    assert bound(policy(selector(name="none"), downsync=())) == PolicyBinding("p")


def test_a_broken_cluster_selector_stops_the_whole_policy_and_no_other() -> None:
    broken = policy(selector(), selector(("env", "In")))
    found = decided(clusters=CLUSTERS, policies=(broken, replace(policy(), name="sound")), objects=OBJECTS)
    assert found.bindings[0] == PolicyBinding("p")
    assert len(found.bindings[1].clusters) == 4
    assert found.problems == (
        Problem(
            ID,
            "clusterSelectors[1]: In of 'env' has no values; give at least one; "
            "until then the policy chooses nothing",
        ),
    )


def test_a_clause_without_any_test_is_refused() -> None:
    found, messages = said(policy(downsync=(EVERYTHING, DownsyncClause(is_test=False))))
    assert found == PolicyBinding("p")
    assert messages == [
        'downsync[1] says nothing of the objects that it is for; write resources: ["*"] if it is for all; '
        "until then the policy chooses nothing"
    ]


def test_a_broken_object_selector_is_skipped_and_said() -> None:
    clause = DownsyncClause(object_selectors=(selector(("app", "In")), selector(app="y")))
    found, messages = said(policy(downsync=(clause,)))
    assert found.objects == (("v1/configmaps/a-b/x", PLAIN),)
    assert messages == [
        "downsync[0].objectSelectors[0]: In of 'app' has no values; give at least one; "
        "until then it selects nothing"
    ]


def test_a_broken_namespace_selector_is_skipped_and_said() -> None:
    clause = DownsyncClause(namespace_selectors=(selector(("team", "Exists", "x")),))
    found, messages = said(policy(downsync=(clause, DownsyncClause(resources=("namespaces",)))))
    assert found.objects == (("v1/namespaces//a", PLAIN),)
    assert messages == [
        "downsync[0].namespaceSelectors[0]: Exists of 'team' has values; leave them out, or write In; "
        "until then it selects nothing"
    ]


@pytest.mark.parametrize(("group", "meant"), [("apps/v1", "apps"), ("v1", ""), ("/v1", ""), ("v1beta1", "")])
def test_a_group_that_carries_a_version_matches_nothing_and_is_said(group: str, meant: str) -> None:
    found, messages = said(policy(downsync=(DownsyncClause(api_group=group),)))
    assert found.objects == ()
    assert messages == [
        f"downsync[0].apiGroup: '{group}' carries a version and matches nothing; write '{meant}'"
    ]


def test_namespace_selectors_ask_the_namespaces_that_are_given() -> None:
    clause = DownsyncClause(namespace_selectors=(selector(team="a"),))
    found = bound(policy(downsync=(clause,)))
    assert [name for name, _ in found.objects] == ["apps/v1/deployments/a/x", "v1/configmaps/a/x"]


def test_clauses_that_match_one_object_are_added_up() -> None:
    one = DownsyncClause(
        object_names=("x",),
        modulation=Modulation(create_only=True, status_collectors=frozenset({"z", "a"})),
    )
    other = DownsyncClause(
        api_group="apps",
        modulation=Modulation(wants_singleton_status=True, status_collectors=frozenset({"m", "a"})),
    )
    found = dict(bound(policy(downsync=(one, other))).objects)
    assert found["apps/v1/deployments/a/x"] == Modulation(
        create_only=True, wants_singleton_status=True, status_collectors=frozenset("amz")
    )
    assert found["v1/configmaps/a/x"] == one.modulation


def test_policies_do_not_add_up() -> None:
    once = replace(
        policy(), name="q", downsync=(replace(EVERYTHING, modulation=Modulation(create_only=True)),)
    )
    found = decided(clusters=CLUSTERS, policies=(once, policy()), objects=(MAP,))
    assert [each.policy for each in found.bindings] == ["p", "q"]
    assert found.bindings[0].objects == ((MAP.id, PLAIN),)
    assert found.bindings[1].objects == ((MAP.id, Modulation(create_only=True)),)


def test_nothing_is_pulled_in() -> None:
    found = bound(policy(downsync=(DownsyncClause(api_group="apps"),)))
    assert [name for name, _ in found.objects] == ["apps/v1/deployments/a/x"]


def test_an_inert_policy_binds_nothing_and_is_not_judged() -> None:
    broken = BindingPolicy("p", (selector(("env", "In")),), (EVERYTHING,), is_inert=True)
    assert said(broken) == (PolicyBinding("p"), [])
