"""Kubernetes documents of one small fleet, for tests to spoil in one place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from hive.surfaces.place import place_documents

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

EAST = """\
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: east
  labels: {env: prod}
spec:
  hubAcceptsClient: true
status:
  conditions:
    - {type: ManagedClusterConditionAvailable, status: "True", reason: x}
"""
FACTS = """\
apiVersion: hive.fleet/v1alpha1
kind: ClusterFacts
metadata: {name: east}
spec:
  observedAt: 2026-11-30T11:59:30Z
  nodes:
    - name: n1
      count: 3
      labels: {nvidia.com/gpu.product: NVIDIA-L4, nvidia.com/gpu.memory: 23034}
      taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
      allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "4"}
      requested: {cpu: "2", memory: 8Gi, nvidia.com/gpu: "1"}
"""
REQUEST = """\
apiVersion: hive.fleet/v1alpha1
kind: SandboxRequest
metadata: {name: scanner-1, namespace: hive}
spec:
  template: gpu
  resources: {cpu: "2", memory: 4Gi}
  gpu: {product: [NVIDIA-L4, NVIDIA-A10], memory: 20Gi, count: 1}
  clusters: {matchLabels: {env: prod}, matchExpressions: []}
  tolerations: [{key: dedicated, operator: Equal, value: gpu, effect: NoSchedule}]
  prefer: {strategy: bin-pack}
"""
POLICY = """\
apiVersion: control.kubestellar.io/v1alpha1
kind: BindingPolicy
metadata: {name: p}
spec:
  clusterSelectors: [{matchLabels: {env: prod}}]
  downsync:
    - apiGroup: apps
      resources: [deployments]
      createOnly: true
      statusCollectors: [z, a]
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {anything: [1, {goes: true}]}
"""
ALL = (EAST, FACTS, REQUEST, POLICY, DEPLOYMENT)


def spoiled(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def place(*texts: str, **options: Any) -> tuple[dict[str, Any], int]:
    """What is said of the documents in one file."""
    return place_documents([("\n---\n".join(texts).encode(), "fleet.yaml")], **{"now": NOW, **options})


def where(*texts: str, **options: Any) -> tuple[str | None, str | None]:
    """Cluster and node of the only request."""
    answer, _ = place(*texts, **options)
    (placement,) = answer["placements"]
    return placement["cluster"], placement["node"]


def problems(*texts: str) -> dict[str, str]:
    answer, code = place(*texts)
    found = {each["object"]: each["message"] for each in answer["problems"]}
    assert len(found) == len(answer["problems"])
    assert not found or code == 1
    return found


def objects(*texts: str) -> list[str]:
    """What the only policy binds."""
    answer, _ = place(*texts)
    (binding,) = answer["bindings"]
    return list(binding["objects"])


def bytes_of(answer: object) -> bytes:
    return json.dumps(answer).encode()
