from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hive.facts.fleet import UNIT, Cluster, GpuNeed, Taint, Toleration
from tests.decisions.placement.good import (
    GPU,
    MINUTE,
    NOW,
    ROOM,
    SECOND,
    amounts,
    bound,
    cluster,
    node,
    placed,
    reasons,
    request,
    selector,
)

PRODUCT = "nvidia.com/gpu.product"
MEMORY = "nvidia.com/gpu.memory"
L4 = node("n1", labels={PRODUCT: "NVIDIA-L4", MEMORY: "23034"}, allocatable={**ROOM, **amounts(gpu="4")})
GIB = 2**30 * UNIT


def why(given: Cluster, **wanted: Any) -> str:
    """What is said of the one cluster that there is."""
    return reasons(placed((given,), request(**wanted)))["east"]


def test_a_request_goes_where_it_fits() -> None:
    found = placed((cluster("east"),), request())
    assert (found.request, found.cluster, found.node) == ("hive/r", "east", "n1")
    assert found.why == (("east", "chosen: it is the only one that fits, on node n1"),)


def test_without_any_cluster_there_is_no_place() -> None:
    found = placed((), request())
    assert (found.cluster, found.node, found.why) == (None, None, ())


@pytest.mark.parametrize(
    ("fields", "because"),
    [
        ({"is_accepted": False}, "not: the hub has not accepted it"),
        ({"available": None}, "not: it is not known to be available (condition missing)"),
        ({"available": "Unknown"}, "not: it is not known to be available (condition Unknown)"),
        ({"available": "False"}, "not: it is not known to be available (condition False)"),
        ({"is_deleting": True}, "not: it is being deleted"),
        ({"seen_at": None}, "not: nothing was observed in it"),
        ({"taints": (Taint("x", "y", "NoSelect"),)}, "not: its taint x=y:NoSelect is not tolerated"),
        ({"taints": (Taint("x", "", "NoSelectIfNew"),)}, "not: its taint x:NoSelectIfNew is not tolerated"),
    ],
)
def test_a_cluster_must_be_known_to_be_well(fields: dict[str, Any], because: str) -> None:
    assert why(cluster("east", **fields)) == because


@pytest.mark.parametrize(
    ("age", "fresh"),
    [
        (timedelta(0), True),
        (5 * MINUTE, True),
        (5 * MINUTE + SECOND, False),
        (-MINUTE, True),
        (-MINUTE - SECOND, False),
    ],
)
def test_an_observation_is_fresh_for_five_minutes_and_may_be_a_minute_ahead(
    age: timedelta, fresh: bool
) -> None:
    assert why(cluster("east", seen_at=NOW - age)).startswith("chosen:") is fresh


def test_how_old_an_observation_may_be_is_the_callers_to_say() -> None:
    old = cluster("east", seen_at=NOW - 10 * MINUTE)
    assert placed((old,), request(), stale_after=10 * MINUTE).cluster == "east"
    found = placed((old,), request(), stale_after=90 * SECOND)
    assert reasons(found)["east"] == "not: it was last observed 10m ago, longer than 90s"


def test_the_request_selects_clusters_by_their_labels() -> None:
    wanted = selector(("tier", "Exists"), env="prod")
    assert why(cluster("east", labels={"env": "prod", "tier": ""}), clusters=wanted).startswith("chosen:")
    found = why(cluster("east", labels={"env": "test"}), clusters=wanted)
    assert found == "not: its labels lack env=prod and tier Exists"


@pytest.mark.parametrize(
    ("requested", "fits"),
    [
        (amounts(cpu="14"), True),
        (amounts(cpu="14001m"), False),
        (amounts(memory="60Gi"), True),
        (amounts(memory="64424509441"), False),
        (amounts(pods="109"), True),
        (amounts(pods="110"), False),
        (amounts(gpu="99"), True),
    ],
)
def test_a_node_has_room_in_every_resource_that_is_named_and_for_one_pod(
    requested: dict[str, int], fits: bool
) -> None:
    assert why(cluster("east", node(requested=requested))).startswith("chosen:") is fits


def test_a_node_that_does_not_count_pods_has_no_limit_on_them() -> None:
    free = node(allocatable=amounts(cpu="2", memory="4Gi"), requested=amounts(pods="500"))
    assert why(cluster("east", free)).startswith("chosen:")


def test_any_resource_may_be_named() -> None:
    odd = {"example.com/fpga": UNIT}
    found = why(cluster("east"), resources=odd)
    assert found == "not: its node n1 lacks example.com/fpga: 1 wanted, 0 free and no more than 0 in all"
    assert why(cluster("east", node(allocatable=odd)), resources=odd).startswith("chosen:")


def test_none_of_a_resource_is_never_too_much() -> None:
    full = node(allocatable=amounts(memory="1"), requested=amounts(memory="2"))
    assert why(cluster("east", full), resources={"memory": 0, "cpu": 0}).startswith("chosen:")


def test_room_on_two_nodes_is_not_room_on_one() -> None:
    half = amounts(cpu="3", memory="8Gi")
    given = cluster("east", node("a", allocatable=half), node("b", allocatable=half))
    assert why(given, resources=amounts(cpu="4")) == (
        "not: none of its 2 nodes will do, nearest a lacks cpu: 4 wanted, 3 free and no more than 3 in all"
    )


def test_what_lacks_is_named_with_what_there_is() -> None:
    full = node(requested=amounts(cpu="15500m", memory="63Gi"))
    assert why(cluster("east", full)) == (
        "not: its node n1 lacks cpu: 2 wanted, 500m of 16 free, lacks memory: 4Gi wanted, 1Gi of 64Gi free"
    )


def test_a_node_that_is_just_large_enough_could_have_held_it() -> None:
    busy = cluster("east", node(requested=amounts(cpu="2")))
    assert why(busy, resources=amounts(cpu="16")) == "not: its node n1 lacks cpu: 16 wanted, 14 of 16 free"


def test_all_reasons_are_said_at_once() -> None:
    given = cluster("east", node(requested=amounts(cpu="16")), available="Unknown", is_accepted=False)
    assert why(given) == (
        "not: the hub has not accepted it; it is not known to be available (condition Unknown); "
        "its node n1 lacks cpu: 2 wanted, 0 of 16 free"
    )


TAINTED = node(taints=(Taint("dedicated", "gpu", "NoSchedule"),))


def test_taints_of_nodes_and_clusters_need_the_same_tolerations() -> None:
    given = cluster("east", TAINTED, taints=(Taint("dedicated", "gpu", "NoSelect"),))
    assert why(given) == (
        "not: its taint dedicated=gpu:NoSelect is not tolerated; "
        "its node n1: its taint dedicated=gpu:NoSchedule is not tolerated"
    )
    both = (Toleration("dedicated", "Equal", "gpu"),)
    assert why(given, tolerations=both).startswith("chosen:")
    for_nodes = (Toleration("dedicated", "Equal", "gpu", "NoSchedule"),)
    assert why(given, tolerations=for_nodes) == "not: its taint dedicated=gpu:NoSelect is not tolerated"


@pytest.mark.parametrize(
    ("effect", "fits"), [("NoSchedule", False), ("NoExecute", False), ("PreferNoSchedule", True)]
)
def test_soft_taints_of_nodes_only_cost(effect: str, fits: bool) -> None:
    given = cluster("east", node(taints=(Taint("x", "", effect),)))
    assert why(given).startswith("chosen:") is fits


def test_a_soft_taint_of_the_cluster_only_costs() -> None:
    assert why(cluster("east", taints=(Taint("x", "", "PreferNoSelect"),))).startswith("chosen:")


@pytest.mark.parametrize(
    ("gpu", "because"),
    [
        (GpuNeed(), None),
        (GpuNeed(count=4), None),
        (GpuNeed(count=5), f"lacks {GPU}: 5 wanted, 4 free and no more than 4 in all"),
        (GpuNeed(products=("NVIDIA-A10", "NVIDIA-L4")), None),
        (GpuNeed(products=("NVIDIA-L",)), "its GPU is NVIDIA-L4, not NVIDIA-L"),
        (GpuNeed(products=("nvidia-l4",)), "its GPU is NVIDIA-L4, not nvidia-l4"),
        (GpuNeed(products=("A", "B")), "its GPU is NVIDIA-L4, not A or B"),
        (GpuNeed(memory=23034 * 2**20 * UNIT), None),
        (GpuNeed(memory=24 * GIB), "its GPUs have 23034Mi of memory, 24Gi wanted"),
        (GpuNeed(resource="amd.com/gpu"), "lacks amd.com/gpu: 1 wanted, 0 free and no more than 0 in all"),
    ],
)
def test_gpus_are_wanted_by_count_product_and_memory(gpu: GpuNeed, because: str | None) -> None:
    found = why(cluster("east", L4), gpu=gpu)
    assert found.startswith("chosen:") if because is None else found.endswith(because)


@pytest.mark.parametrize(
    ("labels", "because"),
    [
        ({}, "the memory of its GPUs is not known"),
        ({MEMORY: "lots"}, "the memory of its GPUs is not known"),
        ({MEMORY: "-5"}, "the memory of its GPUs is not known"),
        ({MEMORY: "1024"}, "its GPUs have 1Gi of memory, 20Gi wanted"),
    ],
)
def test_memory_that_is_not_known_is_never_enough(labels: dict[str, str], because: str) -> None:
    bare = node(labels=labels, allocatable=amounts(cpu="16", memory="64Gi", gpu="4"))
    assert why(cluster("east", bare), gpu=GpuNeed(memory=20 * GIB)) == f"not: its node n1: {because}"


def test_an_unknown_product_is_not_the_wanted_one() -> None:
    bare = node(allocatable=amounts(cpu="16", memory="64Gi", gpu="4"))
    found = why(cluster("east", bare), gpu=GpuNeed(products=("NVIDIA-L4",)))
    assert found == "not: its node n1: its GPU is of unknown product, not NVIDIA-L4"


@pytest.mark.parametrize(
    ("resource", "labels", "product"),
    [
        ("nvidia.com/mig-1g.5gb", {"nvidia.com/gpu.product": "A100"}, "A100"),
        (
            "nvidia.com/mig-1g.5gb",
            {"nvidia.com/mig-1g.5gb.product": "MIG", "nvidia.com/gpu.product": "A"},
            "MIG",
        ),
        ("amd.com/gpu", {"amd.com/gpu.product-name": "MI300X"}, "MI300X"),
        ("gpu.intel.com/xe", {"gpu.intel.com/product": "Max_1550"}, "Max_1550"),
    ],
)
def test_each_vendor_labels_its_products(resource: str, labels: dict[str, str], product: str) -> None:
    given = node(labels=labels, allocatable={**ROOM, resource: UNIT})
    wanted = GpuNeed(products=(product,), resource=resource)
    assert why(cluster("east", given), gpu=wanted).startswith("chosen:")


def test_the_memory_of_a_whole_gpu_is_not_that_of_its_slice() -> None:
    slices = "nvidia.com/mig-1g.5gb"
    given = node(labels={MEMORY: "40960"}, allocatable={**ROOM, slices: UNIT})
    wanted = GpuNeed(memory=5 * GIB, resource=slices)
    assert why(cluster("east", given), gpu=wanted).endswith("the memory of its GPUs is not known")
    known = node(labels={f"{slices}.memory": "5120"}, allocatable={**ROOM, slices: UNIT})
    assert why(cluster("east", known), gpu=wanted).startswith("chosen:")


def test_gpus_named_twice_are_wanted_once() -> None:
    one = node(allocatable=amounts(cpu="2", gpu="2"))
    found = why(cluster("east", one), resources={**amounts(cpu="1", gpu="2")}, gpu=GpuNeed(count=1))
    assert found.startswith("chosen:")


def test_a_taint_for_the_new_spares_what_is_there() -> None:
    given = cluster("east", taints=(Taint("x", "", "NoSelectIfNew"),))
    assert placed((given,), request(), bound("r", "east")).cluster == "east"
    assert placed((given,), request(), bound("other", "east")).cluster is None


def test_a_hard_taint_does_not_spare_what_is_there() -> None:
    given = cluster("east", taints=(Taint("x", "", "NoSelect"),))
    assert placed((given,), request(), bound("r", "east")).cluster is None


def test_a_node_without_gpus_is_not_said_to_have_some() -> None:
    bare = node(allocatable=amounts(cpu="16", memory="64Gi"))
    found = why(cluster("east", bare), gpu=GpuNeed(products=("NVIDIA-L4",)))
    assert found == "not: its node n1: it has no nvidia.com/gpu"
