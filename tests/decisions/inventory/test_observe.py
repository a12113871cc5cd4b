from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from hive.decisions.inventory.observe import Look, look, totals
from hive.decisions.inventory.shapes import NodeShape, PodShape
from hive.facts.fleet import UNIT, Node, Observation, Taint

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def node(name: str = "n1", *, ready: str | None = "True", **more: Any) -> dict[str, Any]:
    """With four cores and a GPU."""
    conditions = [{"type": "MemoryPressure", "status": "False"}]
    conditions += [{"type": "Ready", "status": ready}] if ready else []
    allocatable = {"cpu": "4", "nvidia.com/gpu": "1"}
    return {
        "metadata": {"name": name, "labels": {"nvidia.com/gpu.product": "NVIDIA-L4"}},
        "spec": more,
        "status": {
            "allocatable": allocatable,
            "capacity": {"cpu": "5", "nvidia.com/gpu": "1"},
            "conditions": conditions,
        },
    }


def pod(name: str, cpu: str, *, on: str = "n1", phase: str = "Running") -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"nodeName": on, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
        "status": {"phase": phase},
    }


def seen(nodes: list[dict[str, Any]], pods: list[dict[str, Any]]) -> Look:
    as_nodes = [msgspec.convert(each, NodeShape) for each in nodes]
    return look("east", NOW, as_nodes, [msgspec.convert(each, PodShape) for each in pods], "v1.36.3")


def test_what_was_seen_is_each_node_with_what_its_living_pods_ask_for() -> None:
    pods = [
        pod("a", "1"),
        pod("b", "500m"),
        pod("done", "4", phase="Succeeded"),
        pod("elsewhere", "4", on="n9"),
    ]
    assert seen([node("n2"), node("n1")], pods) == Look(
        Observation(
            "east",
            NOW,
            (
                Node(
                    "n1",
                    {"nvidia.com/gpu.product": "NVIDIA-L4"},
                    (),
                    {"cpu": 4 * UNIT, "nvidia.com/gpu": UNIT},
                    {"cpu": UNIT * 3 // 2, "pods": 2 * UNIT},
                ),
                Node(
                    "n2",
                    {"nvidia.com/gpu.product": "NVIDIA-L4"},
                    (),
                    {"cpu": 4 * UNIT, "nvidia.com/gpu": UNIT},
                    {},
                ),
            ),
        ),
        "v1.36.3",
        {"cpu": 10 * UNIT, "nvidia.com/gpu": 2 * UNIT},
    )


OWN = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("written", "taints"),
    [
        (node(taints=[OWN]), [("dedicated", "gpu", "NoSchedule")]),
        (node(unschedulable=True), [("node.kubernetes.io/unschedulable", "", "NoSchedule")]),
        (node(ready="False"), [("node.kubernetes.io/not-ready", "", "NoSchedule")]),
        (node(ready="Unknown"), [("node.kubernetes.io/unreachable", "", "NoSchedule")]),
        (node(ready=None), [("node.kubernetes.io/unreachable", "", "NoSchedule")]),
        (node(ready="False", taints=[NOT_READY]), [("node.kubernetes.io/not-ready", "", "NoExecute")]),
    ],
)
def test_a_node_that_takes_no_pods_is_tainted_in_kubernetes_own_words(
    written: dict[str, Any], taints: list[tuple[str, str, str]]
) -> None:
    (found,) = seen([written], []).observation.nodes
    assert found.taints == tuple(Taint(*each) for each in taints)


def test_a_node_that_is_being_deleted_is_not_there() -> None:
    going = node("n2")
    going["metadata"]["deletionTimestamp"] = "2026-11-30T11:59:00Z"
    assert [each.name for each in seen([node("n1"), going], []).observation.nodes] == ["n1"]


def test_what_is_free_is_never_less_than_nothing_and_never_on_a_node_that_takes_no_pods() -> None:
    nodes = [node("n1"), node("n2"), node("n3", ready="False")]
    whole, free = totals(seen(nodes, [pod("a", "9"), pod("b", "1", on="n2")]).observation.nodes)
    assert whole == {"cpu": 8 * UNIT, "nvidia.com/gpu": 2 * UNIT}
    assert free == {"cpu": 3 * UNIT, "nvidia.com/gpu": 2 * UNIT}


def test_a_bad_quantity_names_its_object() -> None:
    with pytest.raises(ValueError, match=r"pod ns/a: 'much' is no quantity; write it like"):
        seen([node()], [pod("a", "much")])
    broken = node()
    broken["status"]["allocatable"] = {"cpu": "4 cores"}
    with pytest.raises(ValueError, match="node n1: '4 cores' is no quantity"):
        seen([broken], [])
