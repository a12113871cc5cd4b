"""Held actions, as the gateway's authority has them on record."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from hive.decisions.holds import MOST_WAITING
from hive.decisions.recall import recall
from hive.errors import JournalError
from hive.facts import events as e
from hive.facts.holds import Hold
from hive.facts.memory import Memory
from hive.facts.verdicts import Ruling
from tests.decisions.worlds import NOW
from tests.kernel.test_authority import ME, A, Desk

WANTED = Hold("", A, "comment", "o/r#7", "c" * 64, "hello", "guardrail.x", "it is loud", NOW)


def approve(desk: Desk, name: str = "H1") -> None:
    desk.ledger.record([e.HoldDecided(hold_id=name, approved=True, by="ann")])


def test_the_same_is_put_to_a_person_once() -> None:
    desk = Desk()
    first, second = (desk.authority.held(ME, WANTED) for _ in range(2))
    assert first == second
    assert (first.ruling, "as H1" in first.because) == (Ruling.HOLD, True)
    other = desk.authority.held(ME, replace(WANTED, content="d" * 64))
    assert "as H2" in other.because
    assert list(desk.ledger.memory.holds) == ["H1", "H2"]


def test_an_approval_is_good_once_however_many_ask_at_the_same_time() -> None:
    desk = Desk()
    desk.authority.held(ME, WANTED)
    assert not desk.authority.use(ME, [WANTED], "early")
    approve(desk)
    assert desk.authority.held(ME, WANTED).ruling is Ruling.ALLOW
    with ThreadPoolExecutor(8) as pool:
        used = [*pool.map(lambda n: desk.authority.use(ME, [WANTED], str(n)), range(16))]
    assert sum(used) == 1
    assert "as H2" in desk.authority.held(ME, WANTED).because


def test_of_several_all_are_let_through_or_none() -> None:
    desk = Desk()
    other = replace(WANTED, target="o/r#8")
    desk.authority.held(ME, WANTED)
    desk.authority.held(ME, other)
    approve(desk)
    assert not desk.authority.use(ME, [WANTED, other], "r")
    assert desk.authority.held(ME, WANTED).ruling is Ruling.ALLOW
    approve(desk, "H2")
    assert desk.authority.use(ME, [WANTED, other], "r")


def test_one_approval_does_not_let_two_alike_through() -> None:
    desk = Desk()
    desk.authority.held(ME, WANTED)
    approve(desk)
    assert not desk.authority.use(ME, [WANTED, WANTED], "r")


def test_an_agent_that_asks_for_very_much_is_denied_more() -> None:
    desk = Desk()
    asked = [desk.authority.held(ME, replace(WANTED, target=f"o/r#{n}")) for n in range(MOST_WAITING + 1)]
    assert [one.ruling for one in asked] == [Ruling.HOLD] * MOST_WAITING + [Ruling.DENY]
    assert asked[-1].because == f"{MOST_WAITING} actions of {A} wait for a person already"


def test_what_cannot_be_recorded_is_not_let_through() -> None:
    desk = Desk()
    desk.authority.held(ME, WANTED)
    approve(desk)
    desk.journal.failure = "the disk is full"
    with pytest.raises(JournalError):
        desk.authority.use(ME, [WANTED], "r")
    desk.journal.failure = None
    assert desk.authority.use(ME, [WANTED], "r")


def test_another_start_knows_the_same_holds() -> None:
    desk = Desk()
    desk.authority.held(ME, WANTED)
    approve(desk)
    desk.authority.use(ME, [WANTED], "r")
    assert recall(Memory(), desk.journal.records()) == desk.ledger.memory
