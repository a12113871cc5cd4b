"""Held actions and incidents: shown with what exactly, decided by a key and a yes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dashboard import world
from tests.dashboard.test_app import SIZE, ready, text_of, until
from tests.fakes.operator import FakeOperator

HOLD: dict[str, Any] = {
    "id": "H3",
    "state": "waiting",
    "agent": "quality-2",
    "action": "comment",
    "target": "acme/ledger#7",
    "rule": "guardrail.first-time",
    "because": "it does this for the first time",
    "shown": "Rounding is \x1b[2J done.\nSecond line.",
    "until": "2026-12-01T09:00:00Z",
}
INCIDENT: dict[str, Any] = {
    "id": "X1a2b3c4d",
    "state": "open",
    "kind": "unlabeled",
    "where": "acme/ledger#9",
    "repo": "acme/ledger",
    "evidence": "unlabeled at 09:00: hold",
    "agent": "quality-1",
}


@pytest.fixture
def hive() -> FakeOperator:
    made = world.operator()
    made.document = {
        **made.document,
        "holds": [HOLD, {**HOLD, "id": "H2", "state": "approved"}],
        "incidents": [INCIDENT, {**INCIDENT, "id": "X2", "state": "note"}],
    }
    return made


async def test_what_waits_is_shown_with_what_exactly_and_moves_no_cursor(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w", "down")
        await until(pilot, lambda: "Second line." in text_of(pilot))
        shown = text_of(pilot)
    assert "H3  quality-2: comment on acme/ledger#7" in shown
    assert "held because it does this for the first time" in shown
    assert "Rounding is ?[2J done." in shown
    assert "H2" not in shown
    assert "X2" not in shown


async def test_an_approval_is_given_only_after_a_yes(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w", "down")
        await until(pilot, lambda: "Second line." in text_of(pilot))
        await pilot.press("a", "n", "a", "y")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("approve", "H3", "ann", "")]


async def test_a_denial_and_the_end_of_an_incident_take_a_reason(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("w")
        await until(pilot, lambda: "unlabeled at 09:00" in text_of(pilot))
        await pilot.press("a", "d", "c", "enter", *"new key", "enter")
        await until(pilot, lambda: hive.actions)
        await pilot.press("down", "d", *"no", "enter")
        await until(pilot, lambda: len(hive.actions) == 2)
    assert hive.actions == [
        ("close-incidents", ("X1a2b3c4d",), "ann", "new key"),
        ("deny", "H3", "ann", "no"),
    ]
