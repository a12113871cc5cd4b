"""Every shipped template before a real API server: known fields alone, and the restricted standard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hive.decisions.sandbox import GatewayAddress, render
from hive.errors import WorldError
from hive.facts import kubernetes as k
from hive.facts.fleet import UNIT, GpuNeed, SandboxRequest, Toleration
from hive.facts.kubernetes import ResourceType
from hive.settings.sandbox_templates import read_template
from hive.shells.kubernetes.cluster import KubernetesCluster
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import cluster_run, control_plane, fresh_namespace
from tests.decisions.sandbox.templates import SMALL, shipped

__all__ = ["cluster_run", "control_plane", "fresh_namespace"]  # fixtures

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

KINDS: dict[str, ResourceType] = {
    kind.kind: kind for kind in (k.SERVICE_ACCOUNTS, k.NETWORK_POLICIES, k.VOLUME_CLAIMS, k.DEPLOYMENTS)
}
GIB = 2**30 * UNIT
TOLERATIONS = (
    Toleration("dedicated", "Equal", "gpu", "NoSchedule"),
    Toleration("", "Exists", "", "NoExecute"),
    Toleration("spot", "Exists"),
    Toleration("away", "Exists", "", "NoSelect"),
)
REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "on a volume": {"parameters": {"storage": "pvc", "storage_class": "fast", "disk": "5Gi"}},
    "tolerant": {"tolerations": TOLERATIONS},
    "with a long name": {"name": "a.request.whose-name-is-longer-than-any-label-of-kubernetes-may-ever-be.x"},
    "of much": {"resources": {"cpu": UNIT // 2, "memory": 3 * GIB, "example.com/fpga": UNIT, "pods": UNIT}},
}
GPUS: dict[str, dict[str, Any]] = {
    "of two products": {"gpu": GpuNeed(2, ("NVIDIA-L4", "NVIDIA-A10"), 20 * GIB)},
    "of enough memory": {"gpu": GpuNeed(1, (), 20 * GIB + 1)},
    "of AMD": {"gpu": GpuNeed(1, ("MI300X",), 0, "amd.com/gpu")},
}
CASES = [(name, case) for name in sorted(shipped()) for case in REQUESTS] + [("gpu", case) for case in GPUS]
GATEWAYS = (None, GatewayAddress("10.0.0.1", 8443), GatewayAddress("fd00::1", 8443), GatewayAddress("h.x", 1))


@pytest.fixture
def cluster(control_plane: ControlPlane) -> Iterator[KubernetesCluster]:
    made = KubernetesCluster.from_kubeconfig(control_plane.kubeconfig, control_plane.name)
    yield made
    made.close()


@pytest.fixture
def namespace(control_plane: ControlPlane, fresh_namespace: Callable[[ControlPlane], str]) -> str:
    """One whose pods have to keep the restricted standard."""
    name = fresh_namespace(control_plane)
    label = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    control_plane.api.patch(f"/api/v1/namespaces/{name}", label)
    return name


def manifests(template: str, case: str, namespace: str, gateway: GatewayAddress | None) -> list[Any]:
    fields = {**REQUESTS, **GPUS}[case]
    wanted = SandboxRequest(**{"namespace": namespace, "name": "trainer", "template": template, **fields})
    made = render(shipped()[template], wanted, image="hive-agent:1", namespace=namespace, gateway=gateway)
    return list(made)


@pytest.mark.parametrize(("template", "case"), CASES)
def test_the_server_takes_every_object_under_strict_validation(
    cluster: KubernetesCluster, namespace: str, template: str, case: str
) -> None:
    for gateway in GATEWAYS if case == "plain" else GATEWAYS[:1]:
        for manifest in manifests(template, case, namespace, gateway):
            kept = cluster.apply(KINDS[manifest["kind"]], manifest, manager="hive", dry_run=True)
            assert k.name_of(kept) == k.name_of(manifest)


@pytest.mark.parametrize(("template", "case"), CASES)
def test_the_pod_is_let_in_where_the_restricted_standard_is_enforced(
    cluster: KubernetesCluster, namespace: str, template: str, case: str
) -> None:
    made = {each["kind"]: each for each in manifests(template, case, namespace, None)}
    cluster.apply(k.SERVICE_ACCOUNTS, made["ServiceAccount"], manager="hive")
    pod = made["Deployment"]["spec"]["template"]
    name = k.name_of(made["Deployment"])
    metadata = {**pod["metadata"], "name": name, "namespace": namespace}
    kept = cluster.create(
        k.PODS, {"apiVersion": "v1", "kind": "Pod", **pod, "metadata": metadata}, dry_run=True
    )
    (container,) = kept["spec"]["containers"]
    assert container["resources"] == pod["spec"]["containers"][0]["resources"]
    mounts = [mount["mountPath"] for mount in container["volumeMounts"]]
    assert "/var/run/secrets/kubernetes.io/serviceaccount" not in mounts


def test_a_field_that_kubernetes_does_not_know_is_told_by_the_server(
    cluster: KubernetesCluster, namespace: str
) -> None:
    template = read_template(SMALL.replace("stdin:", "stdinn:").encode(), "own/small.yaml")
    wanted = SandboxRequest(namespace, "x", "small")
    (deployment,) = render(template, wanted, image="i", namespace=namespace, gateway=None)
    with pytest.raises(WorldError, match="stdinn: field not declared in schema"):
        cluster.apply(k.DEPLOYMENTS, deployment, manager="hive", dry_run=True)
