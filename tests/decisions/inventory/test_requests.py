from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hive.decisions.inventory.requests import effective_request, takes_room
from hive.decisions.inventory.shapes import PodShape
from hive.facts.fleet import UNIT

MI = 1024 * 1024 * UNIT
MILLI = UNIT // 1000


def pod(*, phase: str = "Running", **spec: Any) -> PodShape:
    manifest = {
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"nodeName": "n1", **spec},
        "status": {"phase": phase},
    }
    return msgspec.convert(manifest, PodShape)


def container(cpu: str = "", memory: str = "", **more: Any) -> dict[str, Any]:
    wanted = {name: text for name, text in (("cpu", cpu), ("memory", memory)) if text}
    return {"name": "c", "resources": {"requests": wanted}, **more}


def test_containers_run_together_and_a_pod_counts_as_one() -> None:
    assert effective_request(pod(containers=[container("1", "1Mi"), container("500m", "2Mi")])) == {
        "cpu": 1500 * MILLI,
        "memory": 3 * MI,
        "pods": UNIT,
    }


def test_init_containers_count_only_by_what_exceeds_the_rest() -> None:
    inits = [container("2", "1Mi"), container("100m", "9Mi")]
    assert effective_request(pod(containers=[container("1", "4Mi")], initContainers=inits)) == {
        "cpu": 2 * UNIT,
        "memory": 9 * MI,
        "pods": UNIT,
    }


def test_sidecars_run_beside_containers_and_beside_the_init_containers_after_them() -> None:
    inits = [
        container("3"),
        container("1", restartPolicy="Always"),
        container("2500m"),
    ]
    # 3 alone, then 1 beside 2.5, then 1 beside the container's 1.
    assert effective_request(pod(containers=[container("1")], initContainers=inits))["cpu"] == 3500 * MILLI
    assert effective_request(pod(containers=[container("3")], initContainers=inits))["cpu"] == 4000 * MILLI


def test_overhead_comes_on_top_and_a_request_of_the_whole_pod_replaces_its_containers() -> None:
    assert effective_request(
        pod(
            containers=[{"name": "c", "resources": {"requests": {"cpu": "1", "nvidia.com/gpu": "2"}}}],
            resources={"requests": {"cpu": "4"}},
            overhead={"cpu": "250m", "memory": "120Mi"},
        )
    ) == {"cpu": 4250 * MILLI, "nvidia.com/gpu": 2 * UNIT, "memory": 120 * MI, "pods": UNIT}


def test_a_limit_is_a_request_where_none_is_written() -> None:
    resources = {"limits": {"cpu": "2", "nvidia.com/gpu": "1"}, "requests": {"cpu": "1"}}
    assert effective_request(pod(containers=[{"name": "c", "resources": resources}])) == {
        "cpu": UNIT,
        "nvidia.com/gpu": UNIT,
        "pods": UNIT,
    }


@pytest.mark.parametrize(
    ("phase", "node", "counts"),
    [
        ("Running", "n1", True),
        ("Pending", "n1", True),
        ("Unknown", "n1", True),
        ("Succeeded", "n1", False),
        ("Failed", "n1", False),
        ("Pending", "", False),
    ],
)
def test_a_pod_takes_room_from_its_binding_to_its_end(phase: str, node: str, counts: bool) -> None:
    assert takes_room(pod(phase=phase, nodeName=node)) is counts
