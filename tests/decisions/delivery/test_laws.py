"""The laws of delivery, over worlds in any mess."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.delivery import Apply, Deliver, Forget, Remove, Wait
from tests.decisions.delivery.model_world import CLUSTERS, World, deliveries, worlds


@given(worlds())
def test_a_single_copy_is_never_applied_while_another_cluster_may_hold_one(world: World) -> None:
    while True:
        steps = [each for each in world.plan() if not isinstance(each, Wait)]
        if not steps:
            return
        for step in steps:
            delivery = world.deliveries[step.binding]
            if isinstance(step, Apply) and delivery.is_single:
                # By its own record, and in truth: but for what no record and no look could tell of.
                assert delivery.delivered == {step.cluster}
                seen = {each for each in CLUSTERS if each not in world.away}
                assert world.copies(step.binding) & seen <= {step.cluster}
            world.do(step)


@given(worlds(), st.data())
def test_no_second_copy_lives_whatever_is_wanted_and_whoever_is_away(
    world: World, data: st.DataObject
) -> None:
    # From a world in which every copy is on record, any history of wishes, outages and returns.
    for objects in world.held.values():
        objects.clear()
    names = list(world.deliveries)
    for name in names:
        world.deliveries[name] = replace(world.deliveries[name], delivered=frozenset())
    for _ in range(4):
        world.away = data.draw(st.frozensets(st.sampled_from(CLUSTERS)))
        for name in names:
            wish = data.draw(deliveries(name, is_single=world.deliveries[name].is_single))
            world.deliveries[name] = replace(world.deliveries[name], wanted=wish.wanted)
        for step in world.plan():
            world.do(step)
            for each in world.deliveries.values():
                assert not each.is_single or len(world.copies(each.name)) <= 1
                assert world.copies(each.name) <= each.delivered, "a copy that is not on record"


@given(worlds())
def test_only_what_carries_the_label_of_that_very_binding_is_removed(world: World) -> None:
    for step in world.plan():
        if isinstance(step, Remove):
            assert world.held[step.cluster][step.key].binding == world.deliveries[step.binding].label


@given(worlds())
def test_what_nobody_known_put_there_is_never_written_over(world: World) -> None:
    before = deepcopy(world.held)
    world.settle()
    for cluster, objects in before.items():
        for key, held in objects.items():
            if held.binding not in world.deliveries:
                assert world.held[cluster][key] == held


@given(worlds())
def test_a_cluster_out_of_sight_keeps_everything_that_it_has(world: World) -> None:
    before = deepcopy(world.held)
    records = {name: each.delivered for name, each in world.deliveries.items()}
    world.settle()
    for cluster in world.away:
        assert world.held[cluster] == before[cluster]
        for name, delivered in records.items():
            assert (cluster in world.deliveries[name].delivered) == (cluster in delivered)


@given(worlds())
def test_a_cluster_that_returns_gets_exactly_its_due(world: World) -> None:
    world.settle()
    world.away = frozenset()
    world.settle()
    for cluster, objects in world.held.items():
        for delivery in world.deliveries.values():
            mine = {key for key, each in objects.items() if each.binding == delivery.label}
            assert mine <= {each.key for each in delivery.wanted.get(cluster) or ()}
            for desired in delivery.wanted.get(cluster) or ():
                # It is there as it is wanted, or another Binding's: of a stranger, or of one that wants it.
                held = objects[desired.key]
                assert held.digest == desired.digest or held.binding != delivery.label


@given(worlds())
def test_it_converges(world: World) -> None:
    world.settle()
    assert all(isinstance(each, Wait) for each in world.plan())


@given(worlds())
def test_the_plan_does_not_depend_on_the_order_of_the_facts(world: World) -> None:
    steps = world.plan()
    world.deliveries = dict(reversed(world.deliveries.items()))
    world.held = {each: dict(reversed(world.held[each].items())) for each in reversed(CLUSTERS)}
    assert world.plan() == steps


@given(worlds())
def test_a_note_comes_before_what_it_is_the_note_of(world: World) -> None:
    noted = {name: set(each.delivered) for name, each in world.deliveries.items()}
    for step in world.plan():
        if isinstance(step, Deliver):
            noted[step.binding].add(step.cluster)
        elif isinstance(step, Forget):
            noted[step.binding].discard(step.cluster)
        elif isinstance(step, Apply):
            assert step.cluster in noted[step.binding]
