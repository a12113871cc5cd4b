"""Tokens, money and budgets in one sentence for a person."""

from __future__ import annotations

from typing import assert_never

from hive.decisions.money import dollars, tokens
from hive.facts.events import BudgetReached, LimitEnded, LimitSeen, UsageRecorded


def of_usage(event: UsageRecorded | BudgetReached | LimitSeen | LimitEnded) -> str:
    match event:
        case UsageRecorded(agent=agent, model=model, cost=cost):
            price = "no price is known" if cost is None else dollars(cost)
            about = "about " if event.is_estimate else ""
            cut = " (estimated: the answer broke off)" if event.is_estimate else ""
            return f"{agent} used {about}{tokens(event.tokens.total)} tokens of {model}: {price}{cut}"
        case BudgetReached(message=message):
            return message
        case LimitSeen(agent=agent, account=account, retry_at=retry_at, refusals=refusals, detail=detail):
            what = "out of credit" if event.limit == "out-of-credit" else "limited"
            again = f", refused {refusals} times" if refusals > 1 else ""
            line = f"account {account} is {what}{again}: {agent} waits until {retry_at:%Y-%m-%d %H:%M} UTC"
            return f"{line} ({detail})" if detail else line
        case LimitEnded(agent=agent, account=account):
            return f"account {account} is limited no more: {agent} works again"
        case _:
            assert_never(event)
