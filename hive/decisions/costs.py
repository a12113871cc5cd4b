"""What models cost, as tables of people and programs.

A row is ``{"agent": "quality", "tokens": {"input", "output", "cache_read", "cache_write", "total"},
"cost_usd": 1.25, "unpriced_tokens": 0}``; its first key is what was asked for. Where `now` is given it has
``"windows": {"day": {…}, "week": {…}}`` too, the same figures of today and of this week (UTC, from Monday).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from hive.decisions.budgets import Accounts, Budget, Limit, Standing
from hive.decisions.instants import iso
from hive.decisions.spending import total
from hive.facts.spending import Spending, Spent

KINDS = ("agent", "task", "issue", "repo", "model", "role", "backend", "account", "day")


def costs(
    spending: Spending, by: str, since: datetime | None = None, now: datetime | None = None
) -> list[dict[str, Any]]:
    """One row for each of `by` (one of `KINDS`), the dearest first, days in their order."""
    groups: dict[str, list[Spent]] = {}
    for row in spending.rows.values():
        if since is None or row.hour >= since:
            groups.setdefault(_name(row, by), []).append(row)
    rows = [
        {by: name, **figures(group), **({} if now is None else {"windows": _windows(group, now)})}
        for name, group in groups.items()
    ]
    if by == "day":
        return sorted(rows, key=lambda row: str(row[by]))
    return sorted(rows, key=lambda row: (-row["cost_usd"], -row["tokens"]["total"], row[by]))


def figures(rows: Iterable[Spent]) -> dict[str, Any]:
    """``{"tokens": {…}, "cost_usd": …, "unpriced_tokens": …}`` of all `rows`."""
    tokens, cost, unpriced = total(rows)
    return {
        "tokens": {
            "input": tokens.input,
            "output": tokens.output,
            "cache_read": tokens.cache_read,
            "cache_write": tokens.cache_write,
            "total": tokens.total,
        },
        "cost_usd": cost / 1_000_000,
        "unpriced_tokens": unpriced,
    }


def _windows(rows: Iterable[Spent], now: datetime) -> dict[str, dict[str, Any]]:
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    begins = {"day": day, "week": day - timedelta(days=day.weekday())}
    return {name: figures(row for row in rows if row.hour >= begin) for name, begin in begins.items()}


def by_agent(spending: Spending) -> Mapping[str, dict[str, Any]]:
    """All that each agent has used; an agent of which nothing is known is not in it."""
    groups: dict[str, list[Spent]] = {}
    for row in spending.rows.values():
        groups.setdefault(row.purpose.agent, []).append(row)
    return {agent: figures(rows) for agent, rows in groups.items()}


def budget_rows(spending: Spending, budgets: Sequence[Budget], now: datetime) -> Iterator[dict[str, Any]]:
    """How each budget stands in its window now: ``{"name", "covers", "begins", "ends", "cost_usd", "tokens",
    "unpriced_tokens", "soft", "hard", "limit", "previous"}``; soft and hard are ``{"usd", "tokens"}``,
    `limit` is what was reached, `previous` the window before (``{"begins", "cost_usd", "tokens", "limit"}``)
    where anything was spent in it."""
    previous = {
        (one.budget.name, one.covers): one
        for budget in budgets
        if (moment := budget.before(now)) is not None
        for one in Accounts(spending, [budget], moment).standings()
    }
    for one in Accounts(spending, budgets, now).standings():
        before = previous.get((one.budget.name, one.covers))
        yield {
            "name": one.budget.name,
            "covers": one.covers,
            "begins": None if one.begins is None else iso(one.begins),
            "ends": None if one.ends is None else iso(one.ends),
            "cost_usd": one.cost / 1_000_000,
            "tokens": one.tokens,
            "unpriced_tokens": one.unpriced,
            "soft": _limit(one.budget.soft),
            "hard": _limit(one.budget.hard),
            "limit": one.limit or None,
            "previous": None if before is None else _past(before),
        }


def _past(one: Standing) -> dict[str, Any]:
    return {
        "begins": None if one.begins is None else iso(one.begins),
        "cost_usd": one.cost / 1_000_000,
        "tokens": one.tokens,
        "limit": one.limit or None,
    }


def _limit(limit: Limit) -> dict[str, Any]:
    return {"usd": None if limit.cost is None else limit.cost / 1_000_000, "tokens": limit.tokens}


def _name(row: Spent, by: str) -> str:
    one = row.purpose
    match by:
        case "day":
            return f"{row.hour:%Y-%m-%d}"
        case "issue":
            return f"{one.repo}#{one.issue}" if one.issue is not None else ""
        case _:
            return str(getattr(one, by))
