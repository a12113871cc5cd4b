"""One live copy, whatever moves it, whoever is away, and whenever the controller is killed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from hive.errors import InDoubt, Unreachable
from hive.facts.fleet import Taint
from hive.facts.fleet_sighting import SandboxPhase
from hive.facts.kubernetes import BINDING_POLICIES, BINDINGS, DEPLOYMENTS, PODS, ResourceType, annotations_of
from tests.fleet.world import World, everything, on_write, sandbox

PROD: dict[str, Any] = {"clusters": {"matchLabels": {"env": "prod"}}}


def two(**spec: Any) -> World:
    """A sandbox at rest in east; west would do as well once it is labelled."""
    world = World("east", "west")
    world.relabel("east", env="prod")
    world.ask("trainer", **(spec or PROD))
    world.settle()
    assert world.copies("hive", "trainer") == {"east"}
    return world


def test_changing_a_members_label_moves_the_sandbox() -> None:
    world = two()
    world.relabel("east", env="test")
    world.relabel("west", env="prod")
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert (one.phase, one.cluster) == (SandboxPhase.READY, "west")
    assert world.copies("hive", "trainer") == {"west"}
    assert world.tokens.revoked == [("hive/trainer", "east")]


def test_nothing_starts_anew_while_the_old_pod_is_still_ending() -> None:
    world = two()
    world.members["east"].lingers.add(PODS)
    world.relabel("east", env="test")
    world.relabel("west", env="prod")
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert (one.phase, one.cluster) == (SandboxPhase.MOVING, "east")
    assert "still there: pods hive/trainer.pod" in one.message
    assert world.copies("hive", "trainer") == {"east"}
    world.members["east"].finish(PODS, "trainer.pod", "hive")
    world.settle()
    assert world.copies("hive", "trainer") == {"west"}


def test_a_move_away_from_a_member_out_of_sight_waits_until_it_returns() -> None:
    world = two()
    world.cut_off("east")
    world.relabel("east", env="test")
    world.relabel("west", env="prod")
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert one.phase is SandboxPhase.MOVING
    assert "east cannot be seen since 2026-11-30T12:" in one.message
    assert world.copies("hive", "trainer") == {"east"}
    binding = world.binding("hive-trainer")
    assert binding is not None
    assert annotations_of(binding)["hive.fleet/delivered-to"] == "east"
    world.bring_back("east")
    world.settle()
    assert world.copies("hive", "trainer") == {"west"}


def test_a_member_that_was_away_for_a_while_keeps_its_sandbox() -> None:
    world = two(template="cpu")
    (before,) = everything(world.members["east"], PODS)
    world.cut_off("east")
    sighting = world.settle()
    one = sandbox(sighting, "hive/trainer")
    assert (one.phase, one.cluster) == (SandboxPhase.AWAY, "east")
    assert world.copies("hive", "trainer") == {"east"}
    world.bring_back("east")
    sighting = world.settle()
    assert sandbox(sighting, "hive/trainer").phase is SandboxPhase.READY
    (after,) = everything(world.members["east"], PODS)
    assert before["metadata"]["uid"] == after["metadata"]["uid"]


def test_a_member_whose_managed_cluster_is_deleted_is_written_off() -> None:
    world = two(template="cpu")
    world.cut_off("east")
    world.settle()
    del world.inventory.clusters["east"]
    sighting = world.settle()
    assert sandbox(sighting, "hive/trainer").cluster == "west"
    assert world.tokens.revoked == [("hive/trainer", "east")]
    assert world.copies("hive", "trainer") == {"east", "west"}, "the operator said that east is gone"


def test_a_removal_waits_for_a_member_that_is_away_and_is_done_when_it_returns() -> None:
    world = two()
    world.cut_off("east")
    world.withdraw("trainer")
    sighting = world.settle()
    assert sandbox(sighting, "hive/trainer").phase is SandboxPhase.WITHDRAWN
    assert world.binding("hive-trainer") is not None
    world.start()
    world.bring_back("east")
    world.settle()
    assert world.copies("hive", "trainer") == set()
    assert world.binding("hive-trainer") is None


def test_a_taint_that_forbids_the_cluster_moves_the_sandbox_and_one_about_sight_does_not() -> None:
    world = two(template="cpu")
    unreachable = Taint("cluster.open-cluster-management.io/unreachable", "", "NoSelect")
    world.inventory.add("east", taints=(unreachable,))
    assert sandbox(world.settle(), "hive/trainer").cluster == "east"
    world.inventory.add("east", taints=(Taint("maintenance", "", "NoSelect"),))
    assert sandbox(world.settle(), "hive/trainer").cluster == "west"


def test_where_it_may_be_nowhere_it_is_withdrawn_and_says_why() -> None:
    world = two()
    world.relabel("east", env="test")
    one = sandbox(world.settle(), "hive/trainer")
    assert one.phase is SandboxPhase.PENDING
    assert "its labels lack env=prod" in one.message
    assert world.copies("hive", "trainer") == set()


def test_a_copy_whose_record_was_lost_is_found_by_its_label() -> None:
    world = two()
    binding = world.hub.get(BINDINGS, "hive-trainer")
    world.hub.patch(BINDINGS, "hive-trainer", {"metadata": {"finalizers": None}})
    world.hub.delete(BINDINGS, "hive-trainer", uid=binding["metadata"]["uid"])
    world.relabel("east", env="test")
    world.relabel("west", env="prod")
    world.members["east"].lingers.add(PODS)
    world.settle()
    assert world.copies("hive", "trainer") == {"east"}


def test_two_clusters_that_carry_one_label_do_not_get_a_copy_each() -> None:
    world = two(template="cpu")
    world.relabel("west", **{"hive.fleet/cluster": "east"})
    sighting = world.settle()
    assert world.copies("hive", "trainer") == {"east"}
    assert "may run only once" in sandbox(sighting, "hive/trainer").message


def test_a_binding_deleted_by_hand_takes_its_copy_along_before_it_comes_back() -> None:
    world = two()
    world.hub.delete(BINDINGS, "hive-trainer")
    world.members["east"].lingers.add(PODS)
    one = sandbox(world.settle(), "hive/trainer")
    assert one.phase is SandboxPhase.MOVING
    world.members["east"].finish(PODS, "trainer.pod", "hive")
    one = sandbox(world.settle(), "hive/trainer")
    assert one.phase is SandboxPhase.READY


def test_a_write_that_got_no_answer_keeps_the_next_copy_waiting_for_a_while() -> None:
    world = World("east", "west")
    world.relabel("east", env="prod")
    world.ask("trainer", **PROD)

    def doubt(verb: str, kind: ResourceType, name: str) -> None:
        if verb == "apply":
            raise InDoubt("kubernetes", "no answer")

    world.members["east"].before = doubt
    world.reconcile()
    world.members["east"].before = None
    swap(world, "test", "prod")
    sighting = world.reconcile()
    assert sandbox(sighting, "hive/trainer").phase is SandboxPhase.MOVING
    assert world.copies("hive", "trainer") == set()
    world.now += timedelta(seconds=10)
    world.settle()
    assert world.copies("hive", "trainer") == {"west"}


class Killed(BaseException):
    """As SIGKILL: nothing of hive's runs after it."""


def swap(world: World, east: str, west: str) -> None:
    world.relabel("east", env=east)
    world.relabel("west", env=west)


LIVES: tuple[Callable[[World], object], ...] = (
    lambda world: world.ask("trainer", **PROD),
    lambda world: swap(world, "test", "prod"),
    lambda world: swap(world, "prod", "test"),
    lambda world: world.hub.delete(BINDING_POLICIES, "hive-trainer"),
    lambda world: world.withdraw("trainer"),
)
"""Asked for, moved, moved back, its policy deleted, withdrawn."""


def play(world: World, act: Callable[[int], None]) -> int:
    """All `LIVES`, with `act` ahead of each write of hive's. How often hive was killed."""
    killed = 0
    world.relabel("east", env="prod")
    hook = on_write(act)
    for each in world.servers:
        each.before = hook
    for change in LIVES:
        with world.unhooked():
            change(world)
        quiet = 0
        while quiet < 2:
            world.forget_writes()
            try:
                world.reconcile()
            except Killed:
                killed += 1
                world.start()
                world.run_pods()
            assert len(world.copies("hive", "trainer")) <= 1
            quiet = 0 if world.writes() else quiet + 1
    return killed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_kill_before_any_write_leaves_nothing_undone_and_nothing_twice(part: int) -> None:
    counted: list[int] = []
    play(World("east", "west"), counted.append)
    total = len(counted)
    assert total > 30
    for victim in range(1 + part, total + 1, 4):

        def die(number: int, victim: int = victim) -> None:
            if number == victim:
                raise Killed

        world = World("east", "west")
        where = f"killed ahead of write {victim} of {total}"
        assert play(world, die) == 1, where
        assert world.copies("hive", "trainer") == set(), where
        assert world.binding("hive-trainer") is None, where
        assert not world.tokens.good, where
        for each in world.members.values():
            assert everything(each, DEPLOYMENTS) == (), where


@pytest.mark.parametrize("away", ["hub", "east", "west"])
def test_a_server_that_fails_in_the_middle_of_a_round_is_no_harm(away: str) -> None:
    world = World("east", "west")
    world.relabel("east", env="prod")
    servers = {"hub": world.hub, **world.members}

    def fail(number: int) -> None:
        if number % 3 == 0:
            raise Unreachable("kubernetes", "connection reset")

    servers[away].before = on_write(fail)
    with world.unhooked():
        world.ask("trainer", **PROD)
    for label in ("test", "prod"):
        for _ in range(12):
            try:
                world.reconcile()
            except Unreachable:
                assert away == "hub"
            assert len(world.copies("hive", "trainer")) <= 1
        swap(world, label, "prod" if label == "test" else "test")
    servers[away].before = None
    world.settle()
    assert world.copies("hive", "trainer") == {"east"}
