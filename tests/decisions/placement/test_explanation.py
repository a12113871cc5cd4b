from __future__ import annotations

from dataclasses import replace

from hive.decisions.placement import Fresh, place
from hive.facts.fleet import Fleet, Node, Observation
from tests.decisions.placement.good import NOW, TEMPLATES, amounts, cluster, node, placed, request, selector


def used(cpu: str) -> Node:
    return node(requested=amounts(cpu=cpu))


def test_the_chosen_comes_first_then_what_fits_then_the_nearest_misses() -> None:
    clusters = (
        cluster("far", used("16"), is_accepted=False, available=None),
        cluster("fits", used("2")),
        cluster("near", used("14500m")),
        cluster("nearer", used("14100m")),
        cluster("two", used("16"), is_accepted=False),
        cluster("chosen", used("8")),
        cluster("fits-better", used("4")),
    )
    found = placed(clusters, request())
    assert [name for name, _ in found.why] == [
        "chosen", "fits-better", "fits", "nearer", "near", "two", "far",
    ]  # fmt: skip


def test_equally_near_misses_go_by_their_names() -> None:
    clusters = tuple(cluster(f"c{each}", is_accepted=False) for each in (10, 2, 1))
    assert [name for name, _ in placed(clusters, request()).why] == ["c1", "c10", "c2"]


def test_a_cluster_that_was_not_seen_is_no_near_miss() -> None:
    unseen = cluster("east", labels={"env": "prod"}, seen_at=None)
    west = cluster("west", labels={"env": "test"})
    found = placed((unseen, west), request(clusters=selector(env="prod")))
    assert found.why == (
        ("west", "not: its labels lack env=prod"),
        ("east", "not: nothing was observed in it"),
    )


def test_a_cluster_without_nodes_says_so() -> None:
    none = replace(cluster("east"), seen=Observation("east", NOW))
    assert placed((none,), request()).why == (("east", "not: it has no nodes"),)


def test_at_most_fifty_clusters_are_explained_unless_all_are_asked_for() -> None:
    clusters = tuple(cluster(f"c{each:03}", is_accepted=False) for each in range(59))
    fleet = Fleet(clusters=(*clusters, cluster("chosen")), requests=(request(),))
    few = place(fleet, Fresh(NOW), templates=TEMPLATES).placements[0].why
    every = place(fleet, Fresh(NOW), templates=TEMPLATES, most_reasons=None).placements[0].why
    assert (len(few), len(every)) == (50, 60)
    assert few == every[:50]
    assert few[0][0] == "chosen"


def test_the_nearest_node_is_named() -> None:
    given = cluster("east", node("a", requested=amounts(cpu="16")), node("b", requested=amounts(cpu="15")))
    found = placed((given,), request())
    assert found.why == (
        ("east", "not: none of its 2 nodes will do, nearest b lacks cpu: 2 wanted, 1 of 16 free"),
    )
