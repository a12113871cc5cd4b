"""Tables of what models cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from hive.decisions.budgets import Budget, Limit
from hive.decisions.costs import budget_rows, by_agent, costs
from hive.decisions.money import dollars, tokens
from hive.decisions.recall import recall
from hive.facts.events import Record, UsageRecorded
from hive.facts.memory import Memory

NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
USES = (
    UsageRecorded(
        agent="a", model="m", key="1", source="relay", input=10, output=5, cost=2_000_000, used_at=NOW
    ),
    UsageRecorded(
        agent="a",
        model="x",
        key="2",
        source="relay",
        cache_read=7,
        repo="o/r",
        issue=7,
        task="t",
        used_at=NOW,
    ),
    UsageRecorded(
        agent="b",
        model="m",
        key="3",
        source="relay",
        output=5,
        cost=5_000_000,
        used_at=NOW - timedelta(days=1),
    ),
)
SPENDING = recall(Memory(), [Record(n, NOW, 0, event) for n, event in enumerate(USES, 1)]).spending


def counts(*kinds: int) -> dict[str, int]:
    names = ("input", "output", "cache_read", "cache_write", "total")
    return dict(zip(names, kinds, strict=True))


def test_a_row_for_each_agent_the_dearest_first() -> None:
    assert costs(SPENDING, "agent") == [
        {"agent": "b", "tokens": counts(0, 5, 0, 0, 5), "cost_usd": 5.0, "unpriced_tokens": 0},
        {"agent": "a", "tokens": counts(10, 5, 7, 0, 22), "cost_usd": 2.0, "unpriced_tokens": 7},
    ]


def test_days_come_in_their_order_and_issues_by_their_names() -> None:
    assert [row["day"] for row in costs(SPENDING, "day")] == ["2026-11-29", "2026-11-30"]
    assert [row["issue"] for row in costs(SPENDING, "issue")] == ["", "o/r#7"]


def test_what_is_older_is_left_out() -> None:
    assert [row["agent"] for row in costs(SPENDING, "agent", NOW - timedelta(hours=2))] == ["a"]


def test_an_agent_of_which_nothing_is_on_record_is_not_one_that_used_nothing() -> None:
    """Case 121: no data is not 0."""
    assert sorted(by_agent(SPENDING)) == ["a", "b"]


def test_a_budget_tells_its_window_and_how_near_it_is() -> None:
    """Case 122."""
    budget = Budget("day", window=timedelta(days=1), soft=Limit(cost=2_000_000), hard=Limit(cost=9_000_000))
    assert list(budget_rows(SPENDING, [budget], NOW)) == [
        {
            "name": "day",
            "covers": "hive",
            "begins": "2026-11-30T00:00:00Z",
            "ends": "2026-12-01T00:00:00Z",
            "cost_usd": 2.0,
            "tokens": 22,
            "unpriced_tokens": 7,
            "soft": {"usd": 2.0, "tokens": None},
            "hard": {"usd": 9.0, "tokens": None},
            "limit": "soft",
            "previous": {
                "begins": "2026-11-29T00:00:00Z",
                "cost_usd": 5.0,
                "tokens": 5,
                "limit": "soft",
            },
        }
    ]
    (earlier,) = budget_rows(SPENDING, [budget], NOW - timedelta(days=1))
    assert (earlier["cost_usd"], earlier["previous"]) == (5.0, None), "what came later is another window's"


def test_today_and_this_week_stand_beside_all_that_is_on_record() -> None:
    old = replace(USES[2], key="9", used_at=NOW - timedelta(days=9))
    spending = recall(
        Memory(), [Record(n, NOW, 0, event) for n, event in enumerate((old, *USES), 1)]
    ).spending
    sunday = NOW - timedelta(days=1)

    def shown(now: datetime) -> dict[str, tuple[float, float, float]]:
        return {
            row["agent"]: (
                row["windows"]["day"]["cost_usd"],
                row["windows"]["week"]["cost_usd"],
                row["cost_usd"],
            )
            for row in costs(spending, "agent", now=now)
        }

    assert NOW.weekday() == 0
    assert shown(NOW) == {"a": (2.0, 2.0, 2.0), "b": (0.0, 0.0, 10.0)}
    assert shown(sunday)["b"] == (5.0, 5.0, 10.0)


def test_money_and_tokens_are_short_to_read() -> None:
    assert [dollars(one) for one in (0, 99, 12_345, 1_200_000, 1_234_567_890)] == [
        "$0.00",
        "$0.0001",
        "$0.01",
        "$1.20",
        "$1,234.57",
    ]
    assert [tokens(one) for one in (0, 870, 12_400, 3_100_000, 1_200_000_000)] == [
        "0",
        "870",
        "12.4k",
        "3.1M",
        "1.2G",
    ]
