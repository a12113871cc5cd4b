"""Held actions: which one is meant, how long it stands, and what the agent is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hive.decisions import holds
from hive.decisions.holds import PATIENCE, standing, state_of, verdict, waiting
from hive.facts import events as e
from hive.facts.holds import Hold, HoldState
from hive.facts.verdicts import Ruling, Verdict
from tests.decisions.worlds import NOW

HOLD = Hold("H3", "q", "comment", "o/r#7", "c" * 64, "hello", "guardrail.x", "it is loud", NOW)
APPROVED = replace(HOLD, approved=True, by="ann", decided_at=NOW + timedelta(hours=20))
DENIED = replace(APPROVED, approved=False, why="rude")
LATER = NOW + timedelta(hours=21)


def test_a_hold_waits_for_a_day_and_a_word_on_it_stands_for_another() -> None:
    last = PATIENCE - timedelta(seconds=1)
    assert state_of(HOLD, NOW + last) is HoldState.WAITING
    assert state_of(HOLD, NOW + PATIENCE) is HoldState.EXPIRED
    decided = APPROVED.decided_at
    assert decided is not None
    assert state_of(APPROVED, decided + last) is HoldState.APPROVED
    assert state_of(APPROVED, decided + PATIENCE) is HoldState.EXPIRED
    assert state_of(DENIED, LATER) is HoldState.DENIED
    assert state_of(replace(APPROVED, is_done=True), LATER) is HoldState.DONE


def test_an_agent_is_told_what_to_do_and_what_a_person_said() -> None:
    assert verdict(HOLD, NOW) == Verdict(
        Ruling.HOLD,
        "guardrail.x",
        "it is loud; it waits for a person as H3. Go on without it; once it was approved, "
        "hive does it, exactly as it was asked for",
    )
    assert verdict(APPROVED, LATER) == Verdict(Ruling.ALLOW, "hold.approved", "ann approved it as H3")
    assert verdict(DENIED, LATER) == Verdict(Ruling.DENY, "hold.denied", "ann denied it as H3: rude")


@pytest.mark.parametrize(
    "other",
    [{"agent": "p"}, {"action": "label-own"}, {"target": "o/r#8"}, {"content": "d" * 64}],
    ids=lambda change: next(iter(change)),
)
def test_a_word_is_about_exactly_one_content(other: dict[str, str]) -> None:
    known = {"H3": APPROVED}
    assert standing(known, HOLD, LATER) is APPROVED
    assert standing(known, replace(HOLD, **other), LATER) is None  # type: ignore[arg-type]  # text fields


def test_what_was_done_or_ran_out_is_asked_anew() -> None:
    assert standing({"H3": replace(APPROVED, is_done=True)}, HOLD, LATER) is None
    assert standing({"H3": HOLD}, HOLD, NOW + PATIENCE) is None


def test_an_agent_puts_only_so_much_to_a_person() -> None:
    many = {f"H{n}": replace(HOLD, id=f"H{n}") for n in range(1, holds.MOST_WAITING + 1)}
    assert holds.is_too_much(many, "q", NOW)
    assert not holds.is_too_much(many, "p", NOW)
    assert not holds.is_too_much({**many, "H1": APPROVED}, "q", LATER)
    assert len(waiting(many, NOW)) == holds.MOST_WAITING


def test_what_is_shown_has_no_secret_in_it_and_an_end() -> None:
    secret = "ghp_" + "a" * 36
    assert secret not in holds.shown(f"see {secret}")
    assert secret[:20] not in holds.shown("x" * (2 * 2000 - 25) + secret)
    assert len(holds.shown("y" * 10_000)) == 2001


def test_what_is_long_over_is_forgotten_and_its_number_is_not_used_again_soon() -> None:
    known: dict[str, Hold] = {"H1": replace(HOLD, id="H1"), "H2": replace(HOLD, id="H2", decided_at=LATER)}
    event = holds.put(HOLD, holds.next_id(known))
    assert event.hold_id == "H3"
    holds.fold(known, event, NOW + timedelta(days=7, hours=1))
    assert list(known) == ["H2", "H3"]
    holds.fold(known, e.HoldDecided(hold_id="H9", approved=True, by="ann"), NOW)
    assert list(known) == ["H2", "H3"]


def test_all_that_happened_to_a_hold_is_told_under_its_id() -> None:
    story = (
        holds.put(HOLD, "H3"),
        e.HoldDecided(hold_id="H3", approved=True, by="ann"),
        e.HoldUsed(agent="q", hold_id="H3", request_id="r"),
    )
    assert [event.subject for event in story] == ["H3"] * 3
