"""What is spent against what may be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hive.decisions.budgets import Accounts, Budget, BudgetScope, Limit, Standing, ruling
from hive.decisions.recall import recall
from hive.facts.events import Record, UsageRecorded
from hive.facts.memory import Memory
from hive.facts.spending import Purpose, Spending

NOW = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)  # a Monday
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
DOLLAR = 1_000_000
WHO = Purpose("quality-1", "t7", "o/r", 7, "claude-opus-5", "claude", "quality", "team")


def spent(*uses: tuple[datetime, int | None, int], purpose: Purpose = WHO, first: int = 1) -> Spending:
    """What is remembered after messages of these times, costs and output tokens."""
    return recall(Memory(), _records(uses, purpose, first)).spending


def _records(uses: tuple[tuple[datetime, int | None, int], ...], one: Purpose, first: int) -> list[Record]:
    return [
        Record(
            number,
            NOW,
            0,
            UsageRecorded(
                agent=one.agent,
                model=one.model,
                key=f"m{number}",
                source="relay",
                output=output,
                cost=cost,
                task=one.task,
                repo=one.repo,
                issue=one.issue,
                backend=one.backend,
                role=one.role,
                account=one.account,
                used_at=at,
            ),
        )
        for number, (at, cost, output) in enumerate(uses, first)
    ]


@pytest.mark.parametrize(
    ("window", "begin", "end"),
    [
        (HOUR, datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 11, 30, 13, tzinfo=UTC)),
        (DAY, datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)),
        (WEEK, datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 7, tzinfo=UTC)),
        (None, None, None),
    ],
)
def test_a_window_begins_on_the_hour_at_midnight_or_on_monday(
    window: timedelta | None, begin: datetime | None, end: datetime | None
) -> None:
    budget = Budget("b", window=window)
    assert (budget.begin(NOW), budget.end(NOW)) == (begin, end)


def test_only_what_was_spent_in_the_window_counts() -> None:
    budget = Budget("day", window=DAY, hard=Limit(cost=2 * DOLLAR))
    spending = spent((NOW - DAY, 9 * DOLLAR, 10), (NOW, DOLLAR, 20), (NOW - HOUR, DOLLAR, 5))
    assert ruling(spending, [budget], WHO, NOW) == Standing(
        budget,
        "hive",
        datetime(2026, 11, 30, tzinfo=UTC),
        datetime(2026, 12, 1, tzinfo=UTC),
        2 * DOLLAR,
        25,
    )
    assert ruling(spending, [budget], WHO, NOW + DAY) is None


def test_a_limit_is_reached_at_its_very_amount_and_says_until_when() -> None:
    budget = Budget("h", window=HOUR, soft=Limit(tokens=5), hard=Limit(tokens=10))
    limits = [
        next(Accounts(spent((NOW, 0, tokens)), [budget], NOW).standings()).limit for tokens in (4, 5, 9, 10)
    ]
    assert limits == ["", "soft", "soft", "hard"]
    over = ruling(spent((NOW, 0, 10)), [budget], WHO, NOW)
    assert over is not None
    assert over.why == "over budget: 'h' for hive is spent until 2026-11-30 13:00 UTC"
    assert over.figures(budget.hard) == "10 of 10 tokens"


@pytest.mark.parametrize(
    ("scope", "of", "covers"),
    [
        (BudgetScope.HIVE, "", "hive"),
        (BudgetScope.AGENT, "", "agent quality-1"),
        (BudgetScope.AGENT, "quality-*", "agent quality-*"),
        (BudgetScope.AGENT, "scanner", None),
        (BudgetScope.REPO, "O/R", "repo O/R"),
        (BudgetScope.ISSUE, "", "issue o/r#7"),
        (BudgetScope.ROLE, "quality", "role quality"),
        (BudgetScope.MODEL, "claude-opus-*", "model claude-opus-*"),
        (BudgetScope.MODEL, "gpt-*", None),
        (BudgetScope.BACKEND, "", "backend claude"),
        (BudgetScope.ACCOUNT, "team", "account team"),
    ],
)
def test_a_budget_covers_its_scope_by_name_or_each_of_it(
    scope: BudgetScope, of: str, covers: str | None
) -> None:
    assert Budget("b", scope, of).covers(WHO) == covers


def test_each_agent_has_its_own_part_of_a_budget_without_a_name() -> None:
    budget = Budget("each", BudgetScope.AGENT, window=DAY, hard=Limit(cost=DOLLAR))
    spending = spent((NOW, DOLLAR, 1))
    assert ruling(spending, [budget], WHO, NOW) is not None
    assert ruling(spending, [budget], Purpose("quality-2", role="quality"), NOW) is None


def test_agents_that_share_a_pattern_share_the_budget() -> None:
    budget = Budget("all of quality", BudgetScope.AGENT, "quality-*", DAY, hard=Limit(cost=DOLLAR))
    assert ruling(spent((NOW, DOLLAR, 1)), [budget], Purpose("quality-2"), NOW) is not None


def test_a_task_has_its_budget_for_as_long_as_it_lasts_and_the_next_one_another() -> None:
    budget = Budget("task", per_task=True, hard=Limit(cost=DOLLAR))
    spending = spent((NOW - 3 * WEEK, DOLLAR, 1))
    assert ruling(spending, [budget], WHO, NOW) is not None
    assert ruling(spending, [budget], Purpose("quality-1", "t8", "o/r", 7), NOW) is None
    assert ruling(spending, [budget], Purpose("quality-1"), NOW) is None


def test_a_limit_of_nothing_stops_before_anything_was_spent() -> None:
    budget = Budget("none", BudgetScope.BACKEND, "claude", hard=Limit(cost=0))
    assert ruling(Spending(), [budget], WHO, NOW) is not None


def test_tokens_without_a_price_are_no_money_and_are_told_apart() -> None:
    budget = Budget("day", window=DAY, hard=Limit(cost=1))
    (standing,) = Accounts(spent((NOW, None, 70)), [budget], NOW).standings()
    assert (standing.cost, standing.tokens, standing.unpriced, standing.limit) == (0, 70, 70, "")
