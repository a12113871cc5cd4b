"""The bench of a list of pods measures what it says; the figures themselves are no test's business."""

from __future__ import annotations

import msgspec

from hive.bench import kubernetes
from hive.decisions.inventory.shapes import PodShape
from hive.shells.kubernetes.listing import page_decoder


def test_both_sides_read_the_same_pages() -> None:
    result = kubernetes.run(pods=12, turns=1)
    assert [(row.name, row.target) for row in result.rows] == [
        ("pod list, what is read", "≥ 50× faster"),
        ("pod list, dictionaries", ""),
        ("bytes", ""),
    ]
    assert all(row.value > 0 for row in result.rows)
    assert result.about == "12 pods in 1 pages, collector off"


def test_the_pods_are_as_large_as_real_ones_and_read_in_earnest() -> None:
    """28.7 MB for 5,000 of them, in the measurement behind the target."""
    page = kubernetes.pod_page(0, 4)
    assert 5000 < len(page) / 4 < 6500
    pods = page_decoder(PodShape)(page).items or []
    assert [pod.spec.node_name for pod in pods] == ["node-0", "node-1", "node-2", "node-3"]
    requests = [one.resources.requests for one in pods[0].spec.containers or ()]
    assert requests == [{"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": "1"}] * 2
    assert msgspec.json.decode(page)["metadata"]["resourceVersion"] == "123456"
