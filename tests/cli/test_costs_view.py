"""`hive costs`, as a person reads it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from hive.cli import costs


@pytest.fixture(autouse=True)
def in_vienna(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def figures(cost: float, tokens: int) -> dict[str, Any]:
    kinds = {"input": tokens, "output": 0, "cache_read": 0, "cache_write": 0, "total": tokens}
    return {"tokens": kinds, "cost_usd": cost, "unpriced_tokens": 0}


def test_a_row_has_today_and_this_week_beside_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    windows = {"day": figures(1.5, 10), "week": figures(0.0, 0)}
    heading, row = costs._render(
        [{"agent": "a", **figures(7.0, 99), "windows": windows}], "agent"
    ).splitlines()
    assert heading.split()[:5] == ["AGENT", "TODAY", "THIS", "WEEK", "ALL"]
    assert row.split()[:5] == ["a", "$1.50", "-", "$7.00", "99"]


def test_a_budget_has_its_window_by_the_clock_here_and_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Case 122."""
    monkeypatch.setenv("COLUMNS", "200")
    budget = {
        "name": "day",
        "covers": "hive",
        "begins": "2026-11-30T00:00:00Z",
        "ends": "2026-12-01T00:00:00Z",
        "cost_usd": 2.0,
        "tokens": 22,
        "soft": {"usd": 2.0, "tokens": None},
        "hard": {"usd": None, "tokens": None},
        "limit": "soft",
        "previous": {"cost_usd": 5.0, "tokens": 5},
    }
    _, row = costs._render_budgets([budget]).splitlines()
    assert " ".join(row.split()) == (
        "day hive 2026-11-30 01:00 2026-12-01 01:00 $2.00, 22 tok $2.00 - soft limit is reached $5.00, 5 tok"
    )
