from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hive.decisions.inventory.managed_clusters import Away
from hive.decisions.inventory.observe import Look
from hive.decisions.inventory.roll import (
    DOES_NOT_ANSWER,
    NO_CONNECTION,
    Declared,
    MemberState,
    Sources,
    roll,
)
from hive.facts.fleet import Cluster, Node, Observation, Taint

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STALE = timedelta(minutes=5)
EAST = Cluster("east", {"env": "prod"})


def seen(ago: float, node: str = "n1") -> Observation:
    return Observation("east", NOW - timedelta(minutes=ago), (Node(node),))


def state(ago: float | None, *, away: bool = False) -> MemberState:
    look = None if ago is None else Look(seen(ago))
    return MemberState(look, Away(NOW - timedelta(minutes=2), "refused") if away else None)


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (state(0), replace(EAST, seen=seen(0))),
        # Away, and the last look still counts: what is there stays, and nothing new comes.
        (state(4, away=True), replace(EAST, seen=seen(4), taints=(DOES_NOT_ANSWER,))),
        (state(5, away=True), replace(EAST, seen=seen(5), taints=(DOES_NOT_ANSWER,))),
        # Too old is unknown, never fine.
        (state(6, away=True), replace(EAST, seen=seen(6), available="Unknown")),
        (state(None, away=True), replace(EAST, available="Unknown")),
    ],
)
def test_a_member_is_what_hives_own_looks_say(member: MemberState, expected: Cluster) -> None:
    assert roll(Sources(managed=(EAST,), members={"east": member}), NOW, STALE) == (expected,)


def test_a_condition_on_the_hub_counts_before_hives_look_only_where_others_wrote_it() -> None:
    unknown = replace(EAST, available="Unknown")
    sources = Sources(managed=(unknown,), registered=frozenset({"east"}), members={"east": state(0)})
    assert roll(sources, NOW, STALE) == (replace(EAST, seen=seen(0)),)
    others = replace(sources, registered=frozenset())
    assert roll(others, NOW, STALE) == (replace(unknown, seen=seen(0)),)


def test_a_cluster_that_no_context_leads_to_gets_nothing_but_is_seen_by_what_others_observe() -> None:
    found = roll(Sources(managed=(EAST,), facts={"east": seen(1)}), NOW, STALE)
    assert found == (replace(EAST, seen=seen(1), taints=(NO_CONNECTION,)),)


def test_of_all_observations_the_newest_counts() -> None:
    sources = Sources(
        managed=(EAST,),
        facts={"east": seen(2, "hub")},
        members={"east": state(1)},
        declared=Declared(observations={"east": seen(0.5, "file")}),
    )
    assert roll(sources, NOW, STALE) == (replace(EAST, seen=seen(0.5, "file")),)
    older = replace(sources, declared=Declared(observations={"east": seen(3, "file")}))
    assert roll(older, NOW, STALE) == (replace(EAST, seen=seen(1)),)


def test_a_file_adds_to_what_the_hub_has_and_does_not_overrule_it() -> None:
    declared = Declared(
        (
            Cluster("east", {"env": "test", "region": "eu"}, (Taint("k", "file", "NoSelect"),)),
            Cluster("far", {"region": "us"}),
        )
    )
    hub = replace(EAST, taints=(Taint("k", "hub", "NoSelect"),))
    sources = Sources(managed=(hub,), members={"east": state(0)}, declared=declared)
    assert roll(sources, NOW, STALE) == (
        replace(hub, labels={"env": "prod", "region": "eu"}, seen=seen(0)),
        Cluster("far", {"region": "us"}, (NO_CONNECTION,)),
    )
