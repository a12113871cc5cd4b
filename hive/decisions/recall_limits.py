"""What of money and limits is remembered, and what of agents that were woken after one."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from hive.decisions import recall_models
from hive.decisions.recall_maps import Maps
from hive.facts import events as e
from hive.facts.intents import DeliverPrompt, StartAgent
from hive.facts.spending import AccountLimit

MoneyEvent: TypeAlias = e.UsageRecorded | e.BudgetReached | e.LimitSeen | e.LimitEnded | e.ModelRefused


def fold(maps: Maps, event: MoneyEvent, at: datetime) -> None:
    match event:
        case e.LimitSeen(agent=agent, account=account):
            maps.limits[account] = AccountLimit(
                agent, event.limit, at, event.until, event.retry_at, event.refusals, event.stated
            )
        case e.LimitEnded(account=account):
            maps.limits.pop(account, None)
        case e.ModelRefused():
            maps.agent(event.agent, model=recall_models.standing(event, at))
        case e.UsageRecorded() | e.BudgetReached():
            maps.spending.add(event, at)
            recall_models.answered(maps, event)


def started(maps: Maps, intent: StartAgent, at: datetime) -> None:
    """While an account is limited, a new start tries as a waking does."""
    maps.agent(intent.agent, wakes=0, woken_at=at if maps.limits else None)


def typed(maps: Maps, intent: DeliverPrompt, at: datetime) -> None:
    if intent.wakes:
        maps.agent(intent.agent, wakes=intent.wakes, woken_at=at)


def undone(maps: Maps, intent: DeliverPrompt) -> None:
    """It was not woken after all, and is to be."""
    if intent.wakes:
        maps.agent(intent.agent, woken_at=None)
