"""The pod of every shipped template: nothing it does not need, and what placement counted."""

from __future__ import annotations

from typing import Any

import pytest

from hive.decisions.placement.demand import demand_of
from hive.decisions.placement.fit import Fresh, suit
from hive.decisions.placement.quantities import parse
from hive.decisions.placement.rooms import rooms_of
from hive.decisions.sandbox import completed
from hive.errors import ConfigError
from hive.facts.fleet import UNIT, GpuNeed, Node, Toleration
from tests.decisions.placement.good import NOW, cluster
from tests.decisions.sandbox.templates import objects, pod, request, shipped

GIB = 2**30 * UNIT
TEMPLATES = sorted(shipped())


@pytest.mark.parametrize("storage", ["emptyDir", "pvc"])
@pytest.mark.parametrize("name", TEMPLATES)
def test_the_pod_keeps_the_restricted_standard_and_more(name: str, storage: str) -> None:
    spec = pod(request(template=name, parameters={"storage": storage}))
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "fsGroup": 1000,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    (container,) = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False)
    assert not {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"} & spec.keys()
    assert {kind for volume in spec["volumes"] for kind in volume} <= {
        "name",
        "emptyDir",
        "secret",
        "persistentVolumeClaim",
    }


@pytest.mark.parametrize("name", TEMPLATES)
def test_only_the_folders_that_an_agent_needs_can_be_written_and_each_has_a_bound(name: str) -> None:
    spec = pod(request(template=name))
    mounts = {mount["mountPath"]: mount for mount in spec["containers"][0]["volumeMounts"]}
    assert set(mounts) == {"/home/agent", "/tmp", "/run/hive", "/run/secrets/hive"}
    assert [path for path, mount in mounts.items() if mount.get("readOnly")] == ["/run/secrets/hive"]
    bounds = [volume["emptyDir"].get("sizeLimit") for volume in spec["volumes"] if "emptyDir" in volume]
    assert bounds == ["10Gi", "2Gi", "16Mi"]
    assert spec["volumes"][-1] == {
        "name": "hive",
        "secret": {"secretName": "trainer-hive", "defaultMode": 0o440},
    }


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_account_of_the_pod_has_no_token(name: str) -> None:
    made = objects(request(template=name))
    assert made["ServiceAccount"]["automountServiceAccountToken"] is False
    assert made["Deployment"]["spec"]["template"]["spec"]["serviceAccountName"] == "trainer"


def resources(**fields: Any) -> Any:
    return pod(request(**fields))["containers"][0]["resources"]


def test_what_is_asked_for_is_also_the_limit() -> None:
    asked = {"cpu": parse("1500m"), "memory": 3 * GIB, "example.com/fpga": UNIT, "pods": UNIT}
    sizes = {"cpu": "1500m", "memory": "3Gi", "example.com/fpga": "1"}
    assert resources(resources=asked) == {
        "requests": {"ephemeral-storage": "0", **sizes},
        "limits": {"ephemeral-storage": "16Gi", **sizes},
    }


def test_what_the_request_does_not_say_the_template_says() -> None:
    assert resources()["requests"] == {"ephemeral-storage": "0", "cpu": "1", "memory": "2Gi"}
    own = resources(parameters={"cpu": "3", "ephemeral_storage": "20Gi"}, resources={"memory": GIB})
    assert own["requests"] == {"ephemeral-storage": "0", "cpu": "3", "memory": "1Gi"}
    assert own["limits"]["ephemeral-storage"] == "20Gi"


def test_a_pod_may_use_more_than_is_kept_free_for_it_where_that_is_given() -> None:
    asked = {"cpu": UNIT // 10, "ephemeral-storage": 20 * GIB}
    assert resources(resources=asked, parameters={"cpu_limit": "2"}) == {
        "requests": {"ephemeral-storage": "20Gi", "cpu": "100m", "memory": "2Gi"},
        "limits": {"ephemeral-storage": "20Gi", "cpu": "2", "memory": "2Gi"},
    }


def test_a_limit_below_what_is_asked_for_is_refused() -> None:
    said = r"parameter 'cpu_limit' is 1, less than the 2 that are asked for"
    with pytest.raises(ConfigError, match=said):
        resources(resources={"cpu": 2 * UNIT}, parameters={"cpu_limit": "1"})


def test_placement_counts_what_the_pod_will_ask_for() -> None:
    template = shipped()["gpu"]
    whole = completed(request(template="gpu", parameters={"gpu_count": "2"}), template)
    assert whole.resources == {"cpu": 2 * UNIT, "memory": 4 * GIB}
    assert whole.gpu == GpuNeed(count=2)
    assert completed(whole, template) == whole
    assert pod(whole)["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert demand_of(whole).needs == (
        ("cpu", 2 * UNIT),
        ("memory", 4 * GIB),
        ("nvidia.com/gpu", 2 * UNIT),
        ("pods", UNIT),
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"parameters": {"cpu": "2"}, "resources": {"cpu": UNIT}},
            "parameter 'cpu' is 2, but the request itself asks for 1; say it once",
        ),
        (
            {"parameters": {"gpu_count": "2"}, "gpu": GpuNeed(1)},
            "parameter 'gpu_count' is 2, but the request itself asks for 1; say it once",
        ),
    ],
)
def test_an_amount_that_is_said_twice_and_differently_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        completed(request(template="gpu", **fields), shipped()["gpu"])


def test_a_template_without_gpus_refuses_a_request_for_some() -> None:
    with pytest.raises(ConfigError, match=r"cpu.yaml:6: .*gives no GPUs .*; name one that does"):
        objects(request(gpu=GpuNeed(1)))


def test_taints_of_nodes_are_tolerated_and_those_of_clusters_are_no_matter_of_the_pod() -> None:
    tolerations = (
        Toleration("dedicated", "Equal", "gpu", "NoSchedule"),
        Toleration("spot", "Exists"),
        Toleration("", "Exists", "", "NoExecute"),
        Toleration("", "Equal"),
        Toleration("away", "Exists", "", "NoSelect"),
    )
    assert pod(request(tolerations=tolerations))["tolerations"] == [
        {"operator": "Equal", "key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
        {"operator": "Exists", "key": "spot"},
        {"operator": "Exists", "effect": "NoExecute"},
    ]
    assert "tolerations" not in pod(request())


def _takes(spec: Any, node: Node) -> bool:
    """Kubernetes' rule for the operators that are used: terms are alternatives, expressions hold together."""
    if "affinity" not in spec:
        return True
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return any(
        all(_holds(each, node.labels.get(each["key"])) for each in term["matchExpressions"])
        for term in required["nodeSelectorTerms"]
    )


def _holds(expression: Any, label: str | None) -> bool:
    if expression["operator"] == "In":
        return label in expression["values"]
    assert expression["operator"] == "Gt"
    return label is not None and int(label) > int(expression["values"][0])


L4 = {"nvidia.com/gpu.product": "NVIDIA-L4", "nvidia.com/gpu.memory": "23034"}
AMD = {"amd.com/gpu.product-name": "MI300X", "amd.com/gpu.memory": "196608"}
NODES: list[dict[str, str]] = [
    {},
    L4,
    AMD,
    {**L4, "nvidia.com/gpu.memory": "20480"},
    {**L4, "nvidia.com/gpu.product": "NVIDIA-A10"},
]
NEEDS = [
    GpuNeed(1),
    GpuNeed(1, ("NVIDIA-L4",)),
    GpuNeed(1, ("NVIDIA-L4", "NVIDIA-A10"), 20 * GIB),
    GpuNeed(1, (), 20 * GIB + 1),
    GpuNeed(1, ("MI300X",), 0, "amd.com/gpu"),
]


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("labels", NODES)
def test_the_pod_takes_the_nodes_whose_gpus_placement_counted_on(
    need: GpuNeed, labels: dict[str, str]
) -> None:
    wanted = request(template="gpu", gpu=need)
    node = Node("n", labels, allocatable={"cpu": 64 * UNIT, "memory": 64 * GIB, need.resource: 8 * UNIT})
    (room,) = rooms_of([cluster("east", node)]).clusters
    suited = suit(demand_of(wanted), room, Fresh(NOW))
    assert _takes(pod(wanted), node) is bool(suited.nodes)
