from __future__ import annotations

from dataclasses import replace

from hive.facts.fleet import Cluster, GpuNeed, RequestBinding, SandboxRequest, Taint, Toleration
from tests.decisions.placement.good import (
    MINUTE,
    NOW,
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

SMALL = amounts(cpu="2", memory="4Gi", pods="1")
FULL = node("n1", allocatable=SMALL, requested=SMALL)


def where(
    *clusters: Cluster, wanted: tuple[SandboxRequest, ...], last: tuple[RequestBinding, ...]
) -> dict[str, tuple[str | None, str | None]]:
    found = decided(clusters=clusters, requests=wanted, last=last)
    assert found.problems == ()
    return {each.request.removeprefix("hive/"): (each.cluster, each.node) for each in found.placements}


def cpus(name: str, cpu: str) -> SandboxRequest:
    return request(name, resources=amounts(cpu=cpu))


def test_what_a_request_uses_is_not_counted_against_itself() -> None:
    clusters = (cluster("east", FULL), cluster("free"))
    found = placed(clusters, request(), bound("r", "east"))
    assert (found.cluster, found.node) == ("east", "n1")
    assert reasons(found) == {
        "east": "chosen: it is there already, and still fits, on node n1",
        "free": "fits: but it stays where it is",
    }
    assert placed(clusters, request()).cluster == "free"


def test_it_is_counted_against_everybody_else() -> None:
    found = where(
        cluster("east", FULL), wanted=(request("new"), request("old")), last=(bound("old", "east"),)
    )
    assert found == {"new": (None, None), "old": ("east", "n1")}


def test_nobody_who_is_harder_to_place_takes_the_place_of_one_who_is_there() -> None:
    room = amounts(cpu="4", memory="8Gi", gpu="1")
    east = cluster("east", node(allocatable=room))
    wanted = (request("new", resources=amounts(cpu="3"), gpu=GpuNeed()), request("old"))
    assert where(east, wanted=wanted, last=(bound("old", "east"),))["old"] == ("east", "n1")


def test_a_request_stays_though_another_cluster_is_fuller() -> None:
    clusters = (cluster("east"), cluster("west", node(requested=amounts(cpu="8", memory="8Gi"))))
    assert placed(clusters, request()).cluster == "west"
    assert placed(clusters, request(), bound("r", "east")).cluster == "east"


def test_a_request_moves_when_it_does_not_fit_any_more() -> None:
    clusters = (cluster("east", labels={"env": "test"}), cluster("west", labels={"env": "prod"}))
    wanted = request(clusters=selector(env="prod"))
    found = placed(clusters, wanted, bound("r", "east"))
    assert found.cluster == "west"
    assert reasons(found)["east"] == "not: its labels lack env=prod"


def test_a_request_leaves_a_cluster_that_was_not_seen_for_too_long() -> None:
    clusters = (cluster("east", seen_at=NOW - 6 * MINUTE), cluster("west"))
    assert placed(clusters, request(), bound("r", "east")).cluster == "west"


def test_a_cluster_that_is_gone_holds_nobody() -> None:
    assert placed((cluster("west"),), request(), bound("r", "east")).cluster == "west"


def test_a_binding_of_another_name_or_for_others_is_ignored() -> None:
    clusters = (cluster("a"), cluster("b"))
    for stray in (
        RequestBinding("other", frozenset({"hive/r"}), frozenset({"b"})),
        RequestBinding("hive-r", frozenset({"hive/other"}), frozenset({"b"})),
        bound("gone", "b"),
    ):
        assert placed(clusters, request(), stray).cluster == "a"


def test_of_two_clusters_the_first_that_fits_is_kept() -> None:
    clusters = (cluster("a"), cluster("b", is_accepted=False), cluster("c"), cluster("d"))
    assert placed(clusters, request(), bound("r", "d", "b", "c")).cluster == "c"


def test_shares_are_found_on_the_nodes_that_count_them() -> None:
    east = cluster("east", node("n1"), node("n2", requested=amounts(cpu="2", memory="4Gi")), node("n3"))
    assert placed((east,), request(), bound("r", "east")).node == "n2"


def test_a_node_that_counts_pods_is_asked_before_one_that_does_not() -> None:
    idle = request(resources={})
    nodes = (node("n1", requested={}), node("n2", requested=amounts(pods="1", memory="1Gi")))
    assert placed((cluster("east", *nodes),), idle, bound("r", "east")).node == "n2"


def test_a_look_that_is_older_than_the_binding_counts_nothing_yet() -> None:
    east = cluster("east", node("n1", allocatable=amounts(cpu="3", memory="8Gi")))
    found = where(east, wanted=(request("new"), request("old")), last=(bound("old", "east"),))
    assert found == {"new": (None, None), "old": ("east", "n1")}


def test_two_that_share_one_count_do_not_both_stay() -> None:
    """What is counted once was put there by one of them."""
    found = where(
        cluster("east", FULL), cluster("west"), wanted=(request("a"), request("b")),
        last=(bound("a", "east"), bound("b", "east")),
    )  # fmt: skip
    assert found == {"a": ("east", "n1"), "b": ("west", "n1")}


def test_a_puzzle_of_shares_is_solved_so_that_nobody_moves() -> None:
    """The largest on the tightest node, 3 on 4, would leave no node for the last 2."""
    nodes = tuple(
        node(name, allocatable=amounts(cpu=cpu), requested=amounts(cpu=cpu))
        for name, cpu in (("n1", "5"), ("n2", "4"))
    )
    sizes = {"a": "3", "b": "2", "c": "2", "d": "2"}
    found = where(
        cluster("east", *nodes), cluster("west"), wanted=tuple(cpus(*each) for each in sizes.items()),
        last=tuple(bound(name, "east") for name in sizes),
    )  # fmt: skip
    assert found == {
        "a": ("east", "n1"), "b": ("east", "n1"), "c": ("east", "n2"), "d": ("east", "n2"),
    }  # fmt: skip


def test_a_node_that_bears_less_than_before_keeps_as_many_as_it_can() -> None:
    broken = node("n1", allocatable=amounts(gpu="3"), requested=amounts(gpu="4"))
    wanted = tuple(request(name, resources={}, gpu=GpuNeed()) for name in "abcd")
    spare = cluster("west", node(allocatable=amounts(gpu="1")))
    found = where(
        cluster("east", broken), spare, wanted=wanted, last=tuple(bound(name, "east") for name in "abcd")
    )
    assert found == {
        "a": ("east", "n1"), "b": ("east", "n1"), "c": ("east", "n1"), "d": ("west", "n1"),
    }  # fmt: skip


def test_the_share_of_one_who_leaves_is_not_given_away_before_it_is_gone() -> None:
    east = cluster("east", FULL, labels={"env": "test"})
    leaving = replace(request("old"), clusters=selector(env="prod"))
    found = where(east, wanted=(request("new"), leaving), last=(bound("old", "east"),))
    assert found == {"new": (None, None), "old": (None, None)}


def test_nobody_is_moved_because_there_are_too_many_to_puzzle_over() -> None:
    """315 requests on nodes that count them exactly, in sizes that the quick way does not match."""
    sizes = [("3", "2", "2", "2") if each % 2 else ("3", "3", "3") for each in range(90)]
    nodes = tuple(
        node(f"n{place:02}", allocatable=amounts(cpu="9"), requested=amounts(cpu="9"))
        for place in range(len(sizes))
    )
    names = [
        (f"r{place:02}-{index}", cpu) for place, each in enumerate(sizes) for index, cpu in enumerate(each)
    ]
    found = where(
        cluster("east", *nodes), cluster("west"), wanted=tuple(cpus(*each) for each in names),
        last=tuple(bound(name, "east") for name, _ in names),
    )  # fmt: skip
    assert {place for place, _ in found.values()} == {"east"}


def test_a_count_that_names_only_what_is_scarce_counts() -> None:
    counts_gpus = node(allocatable=amounts(cpu="2", memory="4Gi", gpu="1"), requested=amounts(gpu="1"))
    east = cluster("east", counts_gpus)
    wanted = (request("new"), request("old", gpu=GpuNeed()))
    found = where(east, cluster("west"), wanted=wanted, last=(bound("old", "east"),))
    assert found == {"new": ("west", "n1"), "old": ("east", "n1")}


def test_alike_counts_on_nodes_that_are_not_alike_are_told_apart() -> None:
    counted = amounts(cpu="2", memory="4Gi")
    nodes = (
        node("n1", requested=counted, allocatable=counted),
        node("n2", requested=counted, allocatable=counted, taints=(Taint("x", "", "NoSchedule"),)),
    )
    wanted = (request("a", tolerations=(Toleration("x", "Exists"),)), request("b"))
    found = where(cluster("east", *nodes), wanted=wanted, last=(bound("a", "east"), bound("b", "east")))
    assert found == {"a": ("east", "n2"), "b": ("east", "n1")}
