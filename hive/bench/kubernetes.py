"""A long list of pods: what hive reads of it, against the models of the official client.

The pages are those of one list, as an API server sends them, and both sides get the same bytes in turns. The
collector is off for both: it would charge each side for the objects of the other.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kubernetes.client import ApiClient

from hive.bench import BenchResult, BenchRow, at_most, faster
from hive.decisions.inventory.shapes import PodShape
from hive.shells.kubernetes.listing import PAGE, page_decoder

_JSON = "application/json"


def run(pods: int = 5000, turns: int = 3) -> BenchResult:
    """`pods`: in the list, in pages as hive asks for them. Each side counts its best turn."""
    pages = [pod_page(first, min(PAGE, pods - first)) for first in range(0, pods, PAGE)]
    client = ApiClient()
    shaped, whole = page_decoder(PodShape), page_decoder(dict[str, Any])
    sides: dict[str, Callable[[bytes], object]] = {
        "shaped": shaped,
        "dictionaries": whole,
        "json": json.loads,
        "models": lambda page: client.deserialize(page.decode(), "V1PodList", _JSON),
    }
    took: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(turns):
        for name, decode in sides.items():
            took[name].append(_milliseconds(pages, decode))
    best = {name: min(times) for name, times in took.items()}
    rows = (
        faster("pod list, what is read", best["shaped"], "ms", "client's models", best["models"], times=50),
        at_most("pod list, dictionaries", best["dictionaries"], "ms", "json", best["json"], times=None),
        BenchRow("bytes", sum(map(len, pages)) / 1e6, "MB"),
    )
    return BenchResult("kubernetes", rows, f"{pods} pods in {len(pages)} pages, collector off")


def _milliseconds(pages: list[bytes], decode: Callable[[bytes], object]) -> float:
    """For all pages; what they became is held until the end, as a list is."""
    with _uncollected():
        began = time.perf_counter()
        held = [decode(page) for page in pages]
        took = (time.perf_counter() - began) * 1000
    assert len(held) == len(pages)
    return took


@contextmanager
def _uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def pod_page(first: int, count: int) -> bytes:
    """One page of a list, as an API server sends it."""
    items = [_pod(number) for number in range(first, first + count)]
    document = {
        "kind": "PodList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "123456", "continue": "more"},
        "items": items,
    }
    return json.dumps(document, separators=(",", ":")).encode()


def _pod(number: int) -> dict[str, Any]:
    """Like those that a ReplicaSet makes, with all that the server and the kubelet add: about 5.7 kB."""
    name = f"worker-7c9d8b6f5-{number:05d}"
    at = "2026-01-01T00:00:00Z"
    uid = f"00000000-0000-4000-8000-{number:012d}"
    return {
        "metadata": {
            "name": name,
            "generateName": "worker-7c9d8b6f5-",
            "namespace": f"team-{number % 40}",
            "uid": uid,
            "resourceVersion": str(number),
            "creationTimestamp": at,
            "labels": {"app": "worker", "pod-template-hash": "7c9d8b6f5", "team": f"team-{number % 40}"},
            "annotations": {"kubectl.kubernetes.io/restartedAt": at, "example.com/config-hash": "f" * 64},
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "ReplicaSet",
                    "name": "worker-7c9d8b6f5",
                    "uid": uid,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
            "managedFields": [_managed("kube-controller-manager", at), _managed("kubelet", at, "status")],
        },
        "spec": _spec(number),
        "status": _status(number, at),
    }


def _managed(manager: str, at: str, subresource: str = "") -> dict[str, Any]:
    names = ("env", "image", "imagePullPolicy", "name", "resources", "terminationMessagePath", "volumeMounts")
    fields: dict[str, Any] = {f"f:{field}": {} for field in names}
    containers = {f'k:{{"name":"{name}"}}': fields for name in ("a", "b")}
    spec = {"f:containers": containers, "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {}}
    owned = {"f:metadata": {"f:labels": {".": {}, "f:app": {}, "f:team": {}}}, "f:spec": spec}
    entry = {"manager": manager, "operation": "Update", "apiVersion": "v1", "time": at}
    return {**entry, "fieldsType": "FieldsV1", "fieldsV1": owned, "subresource": subresource}


def _spec(number: int) -> dict[str, Any]:
    return {
        "volumes": [
            {
                "name": "kube-api-access",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                        {
                            "configMap": {
                                "name": "kube-root-ca.crt",
                                "items": [{"key": "ca.crt", "path": "ca.crt"}],
                            }
                        },
                    ],
                    "defaultMode": 420,
                },
            }
        ],
        "containers": [_container("a", number), _container("b", number)],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default",
        "nodeName": f"node-{number % 200}",
        "securityContext": {"runAsUser": 1000, "fsGroup": 1000},
        "schedulerName": "default-scheduler",
        "tolerations": [
            {
                "key": f"node.kubernetes.io/{key}",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            }
            for key in ("not-ready", "unreachable")
        ],
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def _container(name: str, number: int) -> dict[str, Any]:
    return {
        "name": name,
        "image": f"example.com/team/worker-{name}:1.{number % 7}",
        "command": ["/usr/bin/worker", "--listen", "0.0.0.0:8080", "--log-level", "info"],
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "env": [{"name": f"SETTING_{index}", "value": f"value-{index}"} for index in range(8)],
        "resources": {
            "limits": {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "1"},
            "requests": {"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": "1"},
        },
        "volumeMounts": [
            {
                "name": "kube-api-access",
                "readOnly": True,
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            }
        ],
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
            "periodSeconds": 10,
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }


def _status(number: int, at: str) -> dict[str, Any]:
    kinds = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [
        {"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": at} for kind in kinds
    ]
    containers = [
        {
            "name": name,
            "state": {"running": {"startedAt": at}},
            "lastState": {},
            "ready": True,
            "restartCount": 0,
            "image": f"example.com/team/worker-{name}:1.{number % 7}",
            "imageID": f"example.com/team/worker-{name}@sha256:{'0' * 64}",
            "containerID": f"containerd://{'1' * 64}",
            "started": True,
        }
        for name in ("a", "b")
    ]
    address = f"10.0.{number % 200}.{number % 250}"
    return {
        "phase": "Running",
        "conditions": conditions,
        "hostIP": f"192.168.0.{number % 200}",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": at,
        "containerStatuses": containers,
        "qosClass": "Burstable",
    }
