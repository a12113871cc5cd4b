from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hive.decisions.inventory.managed_clusters import (
    LABELS_SET,
    cluster_of,
    metadata_patch,
    registration,
    status_after,
    status_patch,
)
from hive.decisions.inventory.observe import Look
from hive.facts.fleet import UNIT, Cluster, Node, Observation, Taint

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=3)


def managed(
    labels: dict[str, str] | None = None, *, put_on: dict[str, str] | None = None, **more: Any
) -> dict[str, Any]:
    """What hive registered, with `labels` now; `put_on` are those that it put on last."""
    manifest: dict[str, Any] = {**registration("east", "kind-east", put_on or {}), **more}
    manifest["metadata"] = {
        **manifest["metadata"],
        "labels": {"hive.fleet/cluster": "east", **(labels if labels is not None else put_on or {})},
    }
    return manifest


def test_a_member_is_registered_as_accepted_with_its_name_and_labels() -> None:
    assert registration("east", "kind-east", {"env": "prod"}) == {
        "apiVersion": "cluster.open-cluster-management.io/v1",
        "kind": "ManagedCluster",
        "metadata": {
            "name": "east",
            "labels": {"env": "prod", "hive.fleet/cluster": "east"},
            "annotations": {
                "hive.fleet/registered": "kind-east",
                "hive.fleet/labels-set": '{"env": "prod"}',
            },
        },
        "spec": {"hubAcceptsClient": True},
    }


@pytest.mark.parametrize(
    ("put_on", "now", "configured", "labels"),
    [
        ({}, {}, {}, None),
        ({"env": "prod"}, {"env": "prod"}, {"env": "prod"}, None),
        ({}, {}, {"env": "prod"}, {"env": "prod"}),
        ({"env": "prod"}, {"env": "prod"}, {"env": "test"}, {"env": "test"}),
        ({"env": "prod"}, {"env": "prod"}, {}, {"env": None}),
        # What the operator changed, took away or had there before stays.
        ({"env": "prod"}, {"env": "mine"}, {"env": "prod"}, None),
        ({"env": "prod"}, {"env": "mine"}, {"env": "test"}, {}),
        ({"env": "prod"}, {}, {"env": "prod"}, None),
        ({"env": "prod"}, {"env": "mine"}, {}, {}),
        ({}, {"env": "mine"}, {"env": "prod"}, {}),
        ({}, {"team": "a"}, {}, None),
    ],
)
def test_labels_follow_the_configuration_until_an_operator_changes_them(
    put_on: dict[str, str], now: dict[str, str], configured: dict[str, str], labels: dict[str, Any] | None
) -> None:
    patch = metadata_patch(managed(now, put_on=put_on), configured)
    if labels is None:
        assert patch is None
    else:
        note = {LABELS_SET: json.dumps(configured)}
        assert patch == {"metadata": {"labels": labels, "annotations": note}}


def test_a_cluster_that_others_registered_gets_the_label_with_its_name_and_no_more() -> None:
    others: dict[str, Any] = {"metadata": {"name": "east", "labels": {"env": "prod"}}}
    assert metadata_patch(others, {"env": "test"}) == {"metadata": {"labels": {"hive.fleet/cluster": "east"}}}
    others["metadata"]["labels"]["hive.fleet/cluster"] = "east"
    assert metadata_patch(others, {"env": "test"}) is None


def looked(*resources: str) -> Look:
    node = Node("n1", {}, (), dict.fromkeys(resources, 4 * UNIT), {"cpu": UNIT})
    return Look(Observation("east", NOW, (node,)), "v1.36.3", dict.fromkeys(resources, 5 * UNIT))


def condition(type_: str, status: str, reason: str, message: str, at: str) -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": at}


REGISTERED = condition(
    "HubAcceptedManagedCluster", "True", "Registered", "registered by hive", "2026-11-30T12:00:00Z"
)


def test_a_member_that_answers_is_available_with_what_it_has() -> None:
    assert status_after(managed(), looked("cpu", "nvidia.com/gpu"), "", NOW) == {
        "conditions": [
            REGISTERED,
            condition(
                "ManagedClusterConditionAvailable",
                "True",
                "Answers",
                "its API server answers",
                "2026-11-30T12:00:00Z",
            ),
        ],
        "capacity": {"cpu": "5", "nvidia.com/gpu": "5"},
        "allocatable": {"cpu": "4", "nvidia.com/gpu": "4"},
        "version": {"kubernetes": "v1.36.3"},
    }


def test_one_that_does_not_answer_is_unknown_since_then_and_keeps_what_it_had() -> None:
    before = status_after(managed(), looked("cpu"), "", NOW)
    after = status_after(managed(status=before), None, "connection refused", LATER)
    assert after == {
        **before,
        "conditions": [
            REGISTERED,
            condition(
                "ManagedClusterConditionAvailable",
                "Unknown",
                "DoesNotAnswer",
                "connection refused",
                "2026-11-30T12:03:00Z",
            ),
        ],
    }
    assert status_after(managed(status=after), None, "connection refused", LATER) == after


def test_a_status_that_is_as_it_was_is_not_written() -> None:
    status = status_after(managed(), looked("cpu"), "", NOW)
    assert (
        status_patch(managed(status=status), status_after(managed(status=status), looked("cpu"), "", LATER))
        is None
    )


def test_conditions_of_others_stay_and_a_resource_that_is_gone_goes() -> None:
    theirs = condition("ManagedClusterConditionClockSynced", "True", "R", "m", "2026-11-30T10:00:00Z")
    status = dict(status_after(managed(), looked("cpu", "nvidia.com/gpu"), "", NOW))
    status["conditions"] = [theirs, *status["conditions"]]
    after = status_after(managed(status=status), looked("cpu"), "", LATER)
    assert theirs in after["conditions"]
    patch = status_patch(managed(status=status), after)
    assert patch is not None
    assert patch["status"]["allocatable"] == {"cpu": "4", "nvidia.com/gpu": None}  # type: ignore[index]  # a mapping


def test_a_managed_cluster_is_read_as_the_hub_has_it() -> None:
    manifest = {
        "metadata": {"name": "east", "labels": {"a": "b"}, "deletionTimestamp": "2026-11-30T11:00:00Z"},
        "spec": {"hubAcceptsClient": True, "taints": [{"key": "k", "effect": "NoSelect"}]},
        "status": {"conditions": [{"type": "ManagedClusterConditionAvailable", "status": "False"}]},
    }
    assert cluster_of(manifest) == Cluster(
        "east",
        {"a": "b"},
        (Taint("k", "", "NoSelect"),),
        is_accepted=True,
        is_deleting=True,
        available="False",
    )
    assert cluster_of({"metadata": {"name": "west"}}) == Cluster("west", is_accepted=False, available=None)


def test_a_taint_that_is_none_is_said() -> None:
    manifest = {"metadata": {"name": "east"}, "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}
    with pytest.raises(ValueError, match="'NoSchedule' is none of NoSelect, PreferNoSelect, NoSelectIfNew"):
        cluster_of(manifest)
