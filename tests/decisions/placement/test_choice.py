from __future__ import annotations

from typing import Any

import pytest

from hive.facts.fleet import Cluster, GpuNeed, Node, Problem, Strategy, Taint
from tests.decisions.placement.good import (
    ROOM,
    amounts,
    bound,
    cluster,
    decided,
    node,
    placed,
    reasons,
    request,
    selector,
)

SOFT = (Taint("x", "", "PreferNoSelect"),)


def used(cpu: str = "0", memory: str = "0", name: str = "n1", **fields: Any) -> Node:
    return node(name, requested=amounts(cpu=cpu, memory=memory, pods="0"), **fields)


def spread(name: str, key: str | None = None, **fields: Any) -> Any:
    return request(name, strategy=Strategy.SPREAD, topology_key=key, **fields)


def where(*clusters: Cluster, wanted: tuple[Any, ...], last: tuple[Any, ...] = ()) -> dict[str, str | None]:
    """The cluster of each request, by its name."""
    found = decided(clusters=clusters, requests=wanted, last=last)
    assert found.problems == ()
    return {each.request.removeprefix("hive/"): each.cluster for each in found.placements}


def test_the_fullest_cluster_that_still_fits_is_chosen() -> None:
    clusters = (
        cluster("a", used("4", "16Gi")),
        cluster("b", used("8", "32Gi")),
        cluster("c", used("15", "60Gi")),
    )
    found = placed(clusters, request())
    assert (found.cluster, found.node) == ("b", "n1")
    assert reasons(found) == {
        "b": "chosen: it is the fullest of 2 that fit, on node n1",
        "a": "fits: but it is less full",
        "c": "not: its node n1 lacks cpu: 2 wanted, 1 of 16 free",
    }


def test_equally_full_clusters_go_by_their_names() -> None:
    found = placed((cluster("c2"), cluster("c10"), cluster("c1")), request())
    assert found.cluster == "c1"
    assert [name for name, _ in found.why] == ["c1", "c10", "c2"]
    assert reasons(found)["c10"] == "fits: as well as the chosen one, whose name comes first"


def test_a_share_counts_not_an_amount() -> None:
    small = node(allocatable=amounts(cpu="4", memory="8Gi"), requested=amounts(cpu="2", memory="4Gi"))
    clusters = (cluster("big", used("4", "16Gi")), cluster("small", small))
    assert placed(clusters, request()).cluster == "small"


def test_within_the_cluster_the_fullest_node_is_chosen() -> None:
    given = cluster("east", used("2", "8Gi", "a"), used("6", "24Gi", "b"), used("15", "60Gi", "c"))
    assert placed((given,), request()).node == "b"


def test_gpus_are_packed_before_all_else() -> None:
    def gpus(gpu: str, cpu: str) -> Node:
        return node(allocatable={**ROOM, **amounts(gpu="4")}, requested=amounts(gpu=gpu, cpu=cpu))

    clusters = (cluster("a", gpus("1", "12")), cluster("b", gpus("3", "0")))
    assert placed(clusters, request(gpu=GpuNeed())).cluster == "b"
    assert placed(clusters, request()).cluster == "a"


def test_nodes_that_do_not_suit_do_not_make_a_cluster_full() -> None:
    other = used("16", "64Gi", "other", taints=(Taint("x", "", "NoSchedule"),))
    clusters = (cluster("a", used("1", "1Gi"), other), cluster("b", used("2", "8Gi")))
    assert placed(clusters, request()).cluster == "b"


def test_what_a_request_takes_is_not_there_for_the_next() -> None:
    clusters = (cluster("a", node(allocatable=amounts(cpu="4", memory="64Gi"))), cluster("b", used()))
    found = where(*clusters, wanted=(request("r1"), request("r2"), request("r3")))
    assert found == {"r1": "a", "r2": "a", "r3": "b"}


@pytest.mark.parametrize("strategy", list(Strategy))
def test_soft_taints_count_before_the_strategy(strategy: Strategy) -> None:
    clusters = (cluster("a", used("8", "8Gi"), taints=SOFT), cluster("b"))
    found = placed(clusters, request(strategy=strategy))
    assert found.cluster == "b"
    assert reasons(found)["a"] == "fits: but taints that only cost stand against it"


def test_a_soft_taint_of_a_node_counts_for_the_node() -> None:
    given = cluster(
        "east", used("8", "8Gi", "a", taints=(Taint("x", "", "PreferNoSchedule"),)), used(name="b")
    )
    assert placed((given,), request()).node == "b"


def test_a_soft_taint_is_borne_where_nothing_else_fits() -> None:
    assert placed((cluster("a", taints=SOFT),), request()).cluster == "a"


def test_what_is_hard_to_place_is_served_first() -> None:
    gpu_node = node(allocatable=amounts(cpu="2", memory="64Gi", gpu="1"))
    found = where(cluster("east", gpu_node), wanted=(request("a"), request("z", gpu=GpuNeed())))
    assert found == {"a": None, "z": "east"}


def test_spread_without_a_key_is_over_clusters() -> None:
    found = where(cluster("a"), cluster("b"), wanted=tuple(spread(f"r{each}") for each in range(5)))
    assert found == {"r0": "a", "r1": "b", "r2": "a", "r3": "b", "r4": "a"}


def test_spread_takes_the_emptiest_node() -> None:
    given = cluster("east", used("8", "8Gi", "a"), used("1", "1Gi", "b"))
    assert placed((given,), spread("r")).node == "b"


def test_spread_over_a_label_counts_by_its_values() -> None:
    clusters = (
        cluster("a1", labels={"region": "a"}),
        cluster("a2", labels={"region": "a"}),
        cluster("b1", labels={"region": "b"}),
    )
    found = where(*clusters, wanted=tuple(spread(f"r{each}", "region") for each in range(4)))
    assert found == {"r0": "a1", "r1": "b1", "r2": "a1", "r3": "b1"}


def test_a_cluster_without_the_label_comes_after_all_that_have_it() -> None:
    clusters = (cluster("a"), cluster("b", labels={"region": "b"}))
    found = decided(clusters=clusters, requests=(spread("r0", "region"), spread("r1", "region")))
    assert [each.cluster for each in found.placements] == ["b", "b"]
    assert reasons(found.placements[1])["a"] == "fits: but it has no label region"


def test_spread_counts_the_same_namespace_and_template_only() -> None:
    others = (request("x", template="gpu", clusters=selector(name="a")), request("y"))
    clusters = (cluster("a", labels={"name": "a"}), cluster("b"))
    found = where(*clusters, wanted=(*others, spread("z")))
    assert found == {"x": "a", "y": "a", "z": "b"}
    found = where(*clusters, wanted=(others[0], spread("z")))
    assert found == {"x": "a", "z": "a"}


def test_spread_counts_those_that_stay() -> None:
    last = (bound("a", "c1"), bound("b", "c1"), bound("c", "c2"))
    wanted = tuple(spread(name) for name in "abcd")
    found = decided(clusters=(cluster("c1"), cluster("c2")), requests=wanted, last=last)
    assert [each.cluster for each in found.placements] == ["c1", "c1", "c2", "c2"]
    assert reasons(found.placements[3]) == {
        "c2": "chosen: it has the fewest of its kind of 2 that fit (1 already), on node n1",
        "c1": "fits: but it has more of its kind",
    }


def test_a_request_with_an_unknown_template_takes_no_part() -> None:
    found = decided(clusters=(cluster("a"),), requests=(request("bad", template="tpu"), request("good")))
    assert [(each.request, each.cluster) for each in found.placements] == [("hive/good", "a")]
    message = "there is no template 'tpu'; there are: cpu, gpu"
    assert found.problems == (Problem("hive.fleet/v1alpha1/sandboxrequests/hive/bad", message),)


def test_a_request_with_a_broken_selector_takes_no_part() -> None:
    found = decided(
        clusters=(cluster("a"),), requests=(request("bad", clusters=selector(("env", "In"))), request("good"))
    )
    assert [(each.request, each.cluster) for each in found.placements] == [("hive/good", "a")]
    message = "clusters: In of 'env' has no values; give at least one"
    assert found.problems == (Problem("hive.fleet/v1alpha1/sandboxrequests/hive/bad", message),)
