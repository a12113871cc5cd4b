"""What has to be done on which cluster, case by case. The laws are in `test_laws`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hive.decisions.delivery import (
    Apply,
    AwayMember,
    Deliver,
    Delivery,
    Desired,
    Forget,
    Held,
    ObjectKey,
    Remove,
    SeenMember,
    Step,
    Wait,
    plan,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DEPLOYMENT = ObjectKey("apps", "deployments", "hive", "trainer")
POLICY = ObjectKey("networking.k8s.io", "networkpolicies", "hive", "trainer")
POD = ObjectKey("", "pods", "hive", "trainer.pod")
AWAY = AwayMember(NOW, "timed out")
KNOWN = frozenset({"east", "west"})
SANDBOX = Delivery("b", "b", True, {"west": (Desired(DEPLOYMENT, "1"),)}, frozenset({"east"}))


def held(key: ObjectKey, binding: str = "b", digest: str = "1", *, going: str | None = None) -> Held:
    return Held(key, binding, f"uid of {key.text}", digest, key is POD, going)


def seen(*objects: Held) -> SeenMember:
    return SeenMember(objects)


def done(steps: tuple[Step, ...]) -> list[Step]:
    return [each for each in steps if not isinstance(each, Wait)]


def test_a_sandbox_moves_in_one_round_once_its_former_cluster_is_seen_without_it() -> None:
    assert plan([SANDBOX], {"east": seen(), "west": seen()}, KNOWN) == (
        Forget("b", "east"),
        Deliver("b", "west"),
        Apply("b", "west", DEPLOYMENT),
    )


def test_nothing_is_begun_while_the_former_cluster_is_out_of_sight() -> None:
    steps = plan([SANDBOX], {"east": AWAY, "west": seen()}, KNOWN)
    assert done(steps) == []
    away, fenced = steps
    assert isinstance(away, Wait)
    assert away.is_away
    assert "east cannot be seen since 2026-11-30T12:00:00Z (timed out)" in away.because
    assert isinstance(fenced, Wait)
    assert fenced.is_fenced
    assert fenced.cluster == "west"


def test_nothing_is_begun_while_a_pod_of_the_former_copy_is_still_ending() -> None:
    steps = plan([SANDBOX], {"east": seen(held(POD, going="T")), "west": seen()}, KNOWN)
    assert done(steps) == []
    assert "pods hive/trainer.pod; going since T" in str(steps[0])


def test_a_copy_that_is_on_no_record_stands_in_the_way_and_is_put_on_record() -> None:
    nowhere = replace(SANDBOX, delivered=frozenset())
    steps = plan([nowhere], {"east": seen(held(DEPLOYMENT)), "west": seen()}, KNOWN)
    assert done(steps) == [
        Deliver("b", "east"),
        Remove("b", "east", DEPLOYMENT, "uid of deployments.apps hive/trainer"),
    ]


def test_a_cluster_that_left_the_inventory_out_of_sight_is_written_off() -> None:
    steps = plan([SANDBOX], {"east": AWAY, "west": seen()}, frozenset({"west"}))
    assert steps[0] == Forget("b", "east", is_lost=True)
    assert Apply("b", "west", DEPLOYMENT) in steps
    still_seen = plan([SANDBOX], {"east": seen(held(DEPLOYMENT)), "west": seen()}, frozenset({"west"}))
    assert Apply("b", "west", DEPLOYMENT) not in still_seen


def test_ordinary_policies_do_not_wait_for_each_others_clusters() -> None:
    ordinary = replace(SANDBOX, is_single=False)
    steps = plan([ordinary], {"east": AWAY, "west": seen()}, KNOWN)
    assert done(steps) == [Deliver("b", "west"), Apply("b", "west", DEPLOYMENT)]


def test_what_runs_goes_before_what_confines_it() -> None:
    leaving = replace(SANDBOX, wanted={})
    both = plan([leaving], {"east": seen(held(DEPLOYMENT), held(POLICY))}, KNOWN)
    assert [each.key for each in both if isinstance(each, Remove)] == [DEPLOYMENT]
    ending = plan([leaving], {"east": seen(held(POD), held(POLICY))}, KNOWN)
    assert done(ending) == []
    last = plan([leaving], {"east": seen(held(POLICY))}, KNOWN)
    assert [each.key for each in last if isinstance(each, Remove)] == [POLICY]


def test_what_is_as_it_should_be_needs_no_step_and_what_was_changed_is_written_over() -> None:
    there = replace(SANDBOX, delivered=frozenset({"west"}))
    assert plan([there], {"west": seen(held(DEPLOYMENT), held(POD))}, KNOWN) == ()
    changed = plan([there], {"west": seen(held(DEPLOYMENT, digest=""))}, KNOWN)
    assert changed == (Apply("b", "west", DEPLOYMENT, over="uid of deployments.apps hive/trainer"),)


def test_what_is_to_be_created_only_is_not_written_over() -> None:
    desired = Desired(DEPLOYMENT, "1", is_create_only=True)
    once = Delivery("b", "b", False, {"west": (desired,)}, frozenset({"west"}))
    assert plan([once], {"west": seen(held(DEPLOYMENT, digest=""))}, KNOWN) == ()
    assert plan([once], {"west": seen()}, KNOWN) == (Apply("b", "west", DEPLOYMENT),)


def test_an_object_that_is_being_deleted_is_waited_for() -> None:
    there = replace(SANDBOX, delivered=frozenset({"west"}))
    (wait,) = plan([there], {"west": seen(held(DEPLOYMENT, going="T"))}, KNOWN)
    assert isinstance(wait, Wait)
    assert wait.because == "deployments.apps hive/trainer is going since T"


def test_an_object_of_a_binding_that_is_not_known_is_left_alone() -> None:
    there = replace(SANDBOX, delivered=frozenset({"west"}))
    (wait,) = plan([there], {"west": seen(held(DEPLOYMENT, "stranger"))}, KNOWN)
    assert isinstance(wait, Wait)
    assert wait.because == "deployments.apps hive/trainer belongs to the Binding stranger"


def test_objects_of_others_are_neither_removed_nor_written_over_by_an_ordinary_policy() -> None:
    ordinary = Delivery("b", "b", False, {"west": (Desired(DEPLOYMENT, "1"),)}, frozenset({"west"}))
    stranger = seen(held(DEPLOYMENT, "stranger"), held(POLICY, "stranger"))
    assert done(plan([ordinary], {"west": stranger}, KNOWN)) == []
    running = Delivery("a", "a", True, {"west": (Desired(DEPLOYMENT, "1"),)}, frozenset({"west"}))
    assert done(plan([ordinary, running], {"west": seen(held(DEPLOYMENT, "a"))}, KNOWN)) == []


def test_what_two_policies_want_passes_to_the_other_when_one_goes() -> None:
    wanted = {"west": (Desired(DEPLOYMENT, "1"),)}
    one, other = (Delivery(name, name, False, wanted, frozenset({"west"})) for name in ("a", "b"))
    assert plan([one, other], {"west": seen(held(DEPLOYMENT, "a"))}, KNOWN) == ()
    steps = plan([replace(one, wanted={}), other], {"west": seen(held(DEPLOYMENT, "a"))}, KNOWN)
    assert done(steps) == [Apply("b", "west", DEPLOYMENT, over="uid of deployments.apps hive/trainer")]


def test_what_may_run_only_once_is_begun_on_none_of_several_clusters() -> None:
    wanted = (Desired(DEPLOYMENT, "1"),)
    several = replace(SANDBOX, wanted={"east": wanted, "west": wanted})
    assert done(plan([several], {"east": seen(), "west": seen()}, KNOWN)) == []


def test_objects_that_are_not_known_now_leave_the_cluster_as_it_is() -> None:
    hidden = Delivery("b", "b", False, {"west": None}, frozenset({"west"}))
    assert plan([hidden], {"west": seen(held(DEPLOYMENT))}, KNOWN) == ()
