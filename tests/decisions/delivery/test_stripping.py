"""What of an object on the hub stays there."""

from __future__ import annotations

from typing import Any

from hive.decisions.delivery.stripping import stripped


def manifest(kind: str, api_version: str = "v1", **more: Any) -> dict[str, Any]:
    metadata = {
        "name": "it",
        "namespace": "a",
        "uid": "u",
        "resourceVersion": "7",
        "generation": 2,
        "creationTimestamp": "2026-11-30T12:00:00Z",
        "ownerReferences": [{"uid": "o"}],
        "finalizers": ["f"],
        "managedFields": [{}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "mine": "yes"},
        "labels": {"app": "it", "controller-uid": "u", "batch.kubernetes.io/controller-uid": "u"},
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "status": {"x": 1}, **more}


def test_what_only_the_hubs_server_can_say_is_left_out() -> None:
    given = manifest("ConfigMap", data={"colour": "red"})
    assert stripped(given) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "it",
            "namespace": "a",
            "annotations": {"mine": "yes"},
            "labels": given["metadata"]["labels"],
        },
        "data": {"colour": "red"},
    }


def test_the_original_is_not_changed() -> None:
    given = manifest("ConfigMap")
    stripped(given)
    assert given == manifest("ConfigMap")


def test_a_job_loses_what_its_controller_put_into_it() -> None:
    labels = {"app": "it", "controller-uid": "u"}
    spec = {
        "selector": {"matchLabels": {"controller-uid": "u"}},
        "suspend": True,
        "manualSelector": True,
        "template": {"metadata": {"labels": labels}, "spec": {}},
    }
    job = stripped(manifest("Job", "batch/v1", spec=spec))
    assert job["metadata"]["labels"] == {"app": "it"}
    assert job["spec"] == {
        "manualSelector": True,
        "template": {"metadata": {"labels": {"app": "it"}}, "spec": {}},
    }


def test_a_service_loses_what_its_cluster_allocated() -> None:
    spec = {
        "clusterIP": "10.0.0.7",
        "clusterIPs": ["10.0.0.7"],
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
        "ports": [{"port": 80, "nodePort": 30080}],
    }
    assert stripped(manifest("Service", spec=spec))["spec"] == {"ports": [{"port": 80}]}


def test_a_headless_service_stays_one_and_a_node_port_is_kept_where_that_is_asked_for() -> None:
    service = manifest(
        "Service", spec={"clusterIP": "None", "clusterIPs": ["None"], "ports": [{"nodePort": 1}]}
    )
    service["metadata"]["annotations"]["control.kubestellar.io/preserve"] = "nodeport"
    assert stripped(service)["spec"] == {
        "clusterIP": "None",
        "clusterIPs": ["None"],
        "ports": [{"nodePort": 1}],
    }
