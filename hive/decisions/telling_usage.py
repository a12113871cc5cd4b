"""Tokens, money and budgets in one sentence for a person."""

from __future__ import annotations

from typing import assert_never

from hive.decisions.money import dollars, tokens
from hive.facts.events import BudgetReached, UsageRecorded


def of_usage(event: UsageRecorded | BudgetReached) -> str:
    match event:
        case UsageRecorded(agent=agent, model=model, cost=cost):
            price = "no price is known" if cost is None else dollars(cost)
            return f"{agent} used {tokens(event.tokens.total)} tokens of {model}: {price}"
        case BudgetReached(message=message):
            return message
        case _:
            assert_never(event)
