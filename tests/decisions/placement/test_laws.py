"""What holds for every fleet, by a second opinion that knows nothing of the engine."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.placement import Fresh, Round, place
from hive.facts.fleet import Fleet, RequestBinding
from tests.decisions.placement.fleets import (
    after,
    fits_node,
    fleets,
    needs,
    suits_cluster,
    suits_node,
)
from tests.decisions.placement.good import NOW, TEMPLATES

NOT_ALWAYS_COUNTED = {"pods"}


def decided(fleet: Fleet) -> Round:
    return place(fleet, Fresh(NOW), templates=TEMPLATES)


def places(found: Round) -> dict[str, tuple[str, str]]:
    return {
        each.request: (each.cluster, each.node)
        for each in found.placements
        if each.cluster is not None and each.node is not None
    }


def used(
    fleet: Fleet, where: dict[str, tuple[str, str]], *, without: str = ""
) -> dict[tuple[str, str], dict[str, int]]:
    """What is used on each node, by what was seen and what was placed, but for one request."""
    totals: dict[tuple[str, str], dict[str, int]] = {}
    for cluster in fleet.clusters:
        for node in cluster.seen.nodes if cluster.seen else ():
            total = totals[cluster.name, node.name] = dict(node.requested)
            for request in fleet.requests:
                if where.get(request.key) == (cluster.name, node.name) and request.key != without:
                    for resource, amount in needs(request).items():
                        total[resource] = total.get(resource, 0) + amount
    return totals


@given(fleets())
def test_nothing_is_placed_where_it_does_not_fit(fleet: Fleet) -> None:
    where = places(decided(fleet))
    clusters = {each.name: each for each in fleet.clusters}
    for request in fleet.requests:
        if request.key in where:
            name, on = where[request.key]
            cluster = clusters[name]
            assert suits_cluster(request, cluster, is_there=False)
            assert cluster.seen is not None
            node = next(each for each in cluster.seen.nodes if each.name == on)
            assert fits_node(request, node, used(fleet, where, without=request.key)[name, on])


@given(fleets())
def test_nothing_is_left_out_that_would_fit(fleet: Fleet) -> None:
    where = places(decided(fleet))
    totals = used(fleet, where)
    for request in fleet.requests:
        if request.key not in where:
            for cluster in fleet.clusters:
                if suits_cluster(request, cluster, is_there=False) and cluster.seen is not None:
                    for node in cluster.seen.nodes:
                        assert not fits_node(request, node, totals[cluster.name, node.name])


@given(fleets())
def test_every_request_and_every_cluster_is_answered_for(fleet: Fleet) -> None:
    found = decided(fleet)
    assert [each.request for each in found.placements] == sorted(each.key for each in fleet.requests)
    for each in found.placements:
        words = {name: reason.partition(":")[0] for name, reason in each.why}
        assert set(words) == {cluster.name for cluster in fleet.clusters}
        chosen = [name for name, word in words.items() if word == "chosen"]
        assert chosen == ([] if each.cluster is None else [each.cluster])
        assert set(words.values()) <= {"chosen", "fits", "not"}
        assert each.cluster is not None or "fits" not in words.values()


@given(fleets(most=9), st.booleans())
def test_a_second_round_moves_nothing(fleet: Fleet, counts_pods: bool) -> None:
    first = places(decided(fleet))
    following = after(fleet, first, counts_pods=counts_pods)
    second = places(decided(following))
    assert {key: place[0] for key, place in second.items()} == {key: place[0] for key, place in first.items()}


@given(fleets(most=9))
def test_in_a_second_round_each_share_is_on_a_node_that_counts_it(fleet: Fleet) -> None:
    following = after(fleet, places(decided(fleet)), counts_pods=True)
    where = places(decided(following))
    for cluster in following.clusters:
        for node in cluster.seen.nodes if cluster.seen else ():
            there = [each for each in following.requests if where.get(each.key) == (cluster.name, node.name)]
            assert all(suits_node(each, node) for each in there)
            for resource in {name for each in there for name in needs(each)} - NOT_ALWAYS_COUNTED:
                shares = sum(needs(each).get(resource, 0) for each in there)
                assert shares <= node.requested.get(resource, 0)


@given(fleets(most=9))
def test_new_requests_never_move_old_ones(fleet: Fleet) -> None:
    old = fleet.requests[: len(fleet.requests) // 2]
    first = places(decided(replace(fleet, requests=old)))
    following = replace(after(replace(fleet, requests=old), first, counts_pods=True), requests=fleet.requests)
    second = places(decided(following))
    assert {key: second[key][0] for key in first} == {key: place[0] for key, place in first.items()}


@given(fleets(), st.data())
def test_whatever_the_last_round_claims_no_node_is_overfull(fleet: Fleet, data: st.DataObject) -> None:
    """Also where a Binding is newer than the look, so that its share is counted nowhere."""
    names = [each.name for each in fleet.clusters] or ["gone"]
    last = tuple(
        RequestBinding(each.binding, frozenset({each.key}), frozenset({data.draw(st.sampled_from(names))}))
        for each in fleet.requests
        if data.draw(st.booleans())
    )
    bound = {each.name: each.clusters for each in last}
    where = places(decided(replace(fleet, last=last)))
    for cluster in fleet.clusters:
        for node in cluster.seen.nodes if cluster.seen else ():
            there = [each for each in fleet.requests if where.get(each.key) == (cluster.name, node.name)]
            new = [each for each in there if cluster.name not in bound.get(each.binding, ())]
            for resource, whole in node.allocatable.items():
                counted = node.requested.get(resource, 0)
                assert counted + sum(needs(each).get(resource, 0) for each in new) <= max(whole, counted)
                assert sum(needs(each).get(resource, 0) for each in there) <= whole


@given(fleets(most=9), st.data())
def test_the_order_of_the_input_means_nothing(fleet: Fleet, data: st.DataObject) -> None:
    following = after(fleet, places(decided(fleet)), counts_pods=True)
    shuffled = replace(
        following,
        clusters=tuple(
            replace(each, seen=each.seen and replace(each.seen, nodes=tuple(reversed(each.seen.nodes))))
            for each in data.draw(st.permutations(following.clusters))
        ),
        requests=tuple(data.draw(st.permutations(following.requests))),
        last=tuple(data.draw(st.permutations(following.last))),
    )
    assert decided(shuffled) == decided(following)
