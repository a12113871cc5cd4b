"""What models were used since the last look, and which budgets that has reached."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from hive.decisions.budgets import Accounts, Standing
from hive.decisions.money import tokens
from hive.decisions.policy import Policy
from hive.decisions.spending import told_key
from hive.facts.agents import AgentSighting, AgentSpec
from hive.facts.memory import AgentMemory, Memory
from hive.facts.spending import Counted
from hive.facts.usage import Usage
from hive.facts.usage_events import BudgetReached, UsageRecorded
from hive.facts.work import Task

_EARLIEST = datetime.min.replace(tzinfo=UTC)


def used(
    spec: AgentSpec, sighting: AgentSighting, memory: Memory, policy: Policy, now: datetime
) -> Iterator[UsageRecorded]:
    """Messages that the journal does not have, or not with all their tokens; the oldest first."""
    counted = memory.spending.counted.get(spec.name, Counted())
    news = [one for one in sighting.usage if _is_news(one, counted, policy, now)]
    if not news:
        return
    tasks = [task for task in memory.tasks.values() if task.agent == spec.name]
    current = memory.agents.get(spec.name, AgentMemory()).task
    for one in sorted(news, key=lambda usage: usage.at or _EARLIEST):
        at = one.at or now
        task = _task_at(tasks, current, at)
        yield UsageRecorded(
            agent=spec.name,
            model=one.model,
            key=one.key,
            source=one.source,
            input=one.tokens.input,
            output=one.tokens.output,
            cache_read=one.tokens.cache_read,
            cache_write=one.tokens.cache_write,
            cache_write_hour=one.tokens.cache_write_hour,
            cost=policy.prices.cost(one.model, one.tokens, at),
            task=task.id if task else "",
            repo=task.repo if task else "",
            issue=(task.about_issue or task.issue or None) if task else None,
            backend=spec.backend,
            role=spec.role,
            account=spec.shares,
            used_at=one.at,
        )


def _is_news(one: Usage, counted: Counted, policy: Policy, now: datetime) -> bool:
    known = counted.keys.get(one.key)
    if known is None:
        return counted.until is None or one.at is None or one.at > counted.until
    there, cost, at = known
    if there.union(one.tokens) != there:
        return True
    return cost is None and policy.prices.cost(one.model, one.tokens, at) is not None


def _task_at(tasks: list[Task], current: str, at: datetime) -> Task | None:
    """The task that the agent had at `at`: the last that was claimed before; else the one it has now."""
    before = [task for task in tasks if task.claimed_at <= at]
    if before:
        return max(before, key=lambda task: task.claimed_at)
    return next((task for task in tasks if task.id == current), None)


def reached(accounts: Accounts, memory: Memory) -> Iterator[BudgetReached]:
    """Limits that nobody was told of in this window."""
    for standing in accounts.standings():
        for limit, message in _news_of(standing):
            key = told_key(standing.budget.name, standing.covers, limit)
            if memory.spending.told.get(key) != standing.window:
                yield BudgetReached(
                    budget=standing.budget.name,
                    covers=standing.covers,
                    window=standing.window,
                    limit=limit,
                    message=message,
                )


def _news_of(standing: Standing) -> Iterator[tuple[str, str]]:
    budget, name = standing.budget, f"budget '{standing.budget.name}' for {standing.covers}"
    until = f" until {standing.ends:%Y-%m-%d %H:%M} UTC" if standing.ends is not None else ""
    if budget.soft.is_reached(standing.cost, standing.tokens):
        yield "soft", f"{name} is at {standing.figures(budget.soft)}, its soft limit{until}"
    if standing.limit == "hard":
        figures = standing.figures(budget.hard)
        yield "hard", f"{name} is spent, {figures}: no task is begun and no prompt sent{until}"
    if budget.counts_money and standing.unpriced:
        count = tokens(standing.unpriced)
        yield "unpriced", f"{name} cannot count {count} tokens of models without a price; add them to prices"
