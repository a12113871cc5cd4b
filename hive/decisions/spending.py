"""Sums of what was spent, from the journal's events: every message once, however often it is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from hive.facts.spending import KEPT_KEYS, Count, Counted, Purpose, Spending, Spent
from hive.facts.usage import TokenUsage
from hive.facts.usage_events import BudgetReached, UsageRecorded

_MOST_ROWS = 20_000
"""Above, the older half loses its tasks and issues and is kept by day."""


class SpendingFold:
    """Copies what it changes, and that once: most folds are of events that have no part in this."""

    def __init__(self, known: Spending) -> None:
        self._known = known
        self._rows: dict[str, Spent] | None = None
        self._counted: dict[str, tuple[dict[str, Count], datetime | None]] = {}
        self._told: dict[str, str] | None = None

    def spending(self) -> Spending:
        counted = {agent: Counted(dict(keys), until) for agent, (keys, until) in self._counted.items()}
        known = self._known
        return Spending(
            known.rows if self._rows is None else dict(self._rows),
            {**known.counted, **counted} if counted else known.counted,
            known.told if self._told is None else dict(self._told),
        )

    def add(self, event: UsageRecorded | BudgetReached, at: datetime) -> None:
        if isinstance(event, BudgetReached):
            self._told = dict(self._known.told) if self._told is None else self._told
            self._told[told_key(event.budget, event.covers, event.limit)] = event.window
            return
        if event.agent not in self._counted:
            counted = self._known.counted.get(event.agent, Counted())
            self._counted[event.agent] = (dict(counted.keys), counted.until)
        keys, until = self._counted[event.agent]
        used_at = event.used_at or at
        known = keys.get(event.key)
        if known is None and until is not None and used_at <= until:
            return
        before, cost_before, used_at = known or (TokenUsage(), 0, used_at)
        after = before.union(event.tokens)
        cost = None if event.cost is None else max(event.cost, cost_before or 0)
        keys[event.key] = (after, cost, used_at)
        more = after - before
        self._sum(
            _purpose(event),
            used_at,
            more,
            (cost or 0) - (cost_before or 0),
            _unpriced(after, cost) - _unpriced(before, cost_before),
        )
        self._counted[event.agent] = (keys, _trimmed(keys, until))

    def _sum(self, purpose: Purpose, at: datetime, tokens: TokenUsage, cost: int, unpriced: int) -> None:
        hour = at.replace(minute=0, second=0, microsecond=0)
        key = _row_key(hour, purpose)
        rows = self._rows = dict(self._known.rows) if self._rows is None else self._rows
        row = rows.get(key) or Spent(hour, purpose)
        rows[key] = replace(
            row, tokens=row.tokens + tokens, cost=row.cost + cost, unpriced=row.unpriced + unpriced
        )
        if len(rows) > _MOST_ROWS:
            ordered = sorted(rows.values(), key=lambda one: one.hour)
            half = len(ordered) // 2
            kept = (*_coarse(ordered[:half]), *ordered[half:])
            self._rows = {_row_key(one.hour, one.purpose): one for one in kept}


def told_key(budget: str, covers: str, limit: str) -> str:
    return f"{budget}|{covers}|{limit}"


def total(rows: Iterable[Spent]) -> tuple[TokenUsage, int, int]:
    """Tokens, micro-USD and tokens without a price of all `rows`."""
    tokens, cost, unpriced = TokenUsage(), 0, 0
    for row in rows:
        tokens, cost, unpriced = tokens + row.tokens, cost + row.cost, unpriced + row.unpriced
    return tokens, cost, unpriced


def _unpriced(tokens: TokenUsage, cost: int | None) -> int:
    return tokens.total if cost is None else 0


def _purpose(event: UsageRecorded) -> Purpose:
    return Purpose(
        event.agent,
        event.task,
        event.repo,
        event.issue,
        event.model,
        event.backend,
        event.role,
        event.account,
    )


def _row_key(hour: datetime, purpose: Purpose) -> str:
    one = purpose
    parts = (one.agent, one.task, one.repo, one.issue, one.model, one.backend, one.role, one.account)
    return f"{hour.isoformat()}|{'|'.join(map(str, parts))}"


def _trimmed(keys: dict[str, Count], until: datetime | None) -> datetime | None:
    """Forget the oldest keys, half of them at once, and say up to when."""
    if len(keys) <= 2 * KEPT_KEYS:
        return until
    oldest = sorted(keys, key=lambda key: keys[key][2])[:-KEPT_KEYS]
    for key in oldest:
        until = max(until, keys[key][2]) if until is not None else keys[key][2]
        del keys[key]
    return until


def _coarse(rows: Iterable[Spent]) -> Iterator[Spent]:
    """By day, without tasks and issues."""
    merged: dict[str, Spent] = {}
    for row in rows:
        day = row.hour.replace(hour=0)
        purpose = replace(row.purpose, task="", issue=None)
        known = merged.get(_row_key(day, purpose), Spent(day, purpose))
        merged[_row_key(day, purpose)] = replace(
            known,
            tokens=known.tokens + row.tokens,
            cost=known.cost + row.cost,
            unpriced=known.unpriced + row.unpriced,
        )
    yield from merged.values()
