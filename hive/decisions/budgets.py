"""Budgets: what was spent in a window, against what the operator allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from fnmatch import fnmatchcase

from hive.decisions.money import dollars, tokens
from hive.facts.agents import AgentSpec
from hive.facts.spending import Purpose, Spending, Spent

_FIRST_MONDAY = datetime(1970, 1, 5, tzinfo=UTC)
"""Windows are counted from here: hours and days begin on the hour and at midnight, weeks on Monday, UTC."""


class BudgetScope(StrEnum):
    HIVE = "hive"
    AGENT = "agent"
    REPO = "repo"
    ISSUE = "issue"
    """``OWNER/NAME#7``."""
    ROLE = "role"
    MODEL = "model"
    BACKEND = "backend"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True)
class Limit:
    """Micro-USD and tokens of all kinds; None: as much as it takes."""

    cost: int | None = None
    tokens: int | None = None

    def is_reached(self, cost: int, count: int) -> bool:
        return (self.cost is not None and cost >= self.cost) or (
            self.tokens is not None and count >= self.tokens
        )


@dataclass(frozen=True, slots=True)
class Budget:
    """One line under `budgets`.

    Attributes:
        of: Which of the scope, in any case, with ``*`` and ``?``; empty: each of them has this budget.
        window: None: all time.
        per_task: Each task has this budget, for as long as it lasts.
    """

    name: str
    scope: BudgetScope = BudgetScope.HIVE
    of: str = ""
    window: timedelta | None = None
    per_task: bool = False
    soft: Limit = Limit()
    hard: Limit = Limit()

    @property
    def counts_money(self) -> bool:
        return self.soft.cost is not None or self.hard.cost is not None

    def covers(self, purpose: Purpose) -> str | None:
        """What of the budget's subjects `purpose` counts for: ``hive``, ``agent quality``; None: for none."""
        word = _word(self.scope, purpose)
        if not word and self.scope is not BudgetScope.HIVE:
            return None
        if self.of and not fnmatchcase(word.casefold(), self.of.casefold()):
            return None
        covered = f"{self.scope} {self.of or word}".rstrip()
        if self.per_task:
            return f"{covered} task {purpose.task}" if purpose.task else None
        return covered

    def begin(self, now: datetime) -> datetime | None:
        """The first moment of the window that `now` is in; None for all time and for a task."""
        if self.window is None or self.per_task:
            return None
        return _FIRST_MONDAY + (now - _FIRST_MONDAY) // self.window * self.window

    def end(self, now: datetime) -> datetime | None:
        begin = self.begin(now)
        return None if begin is None or self.window is None else begin + self.window

    def before(self, now: datetime) -> datetime | None:
        """A moment in the window before the one that `now` is in; None where there is none."""
        begin = self.begin(now)
        return None if begin is None or self.window is None else begin - self.window


@dataclass(frozen=True, slots=True)
class Standing:
    """A budget, for one of those that it covers, now.

    Attributes:
        begins, ends: Of its window; None without one.
        unpriced: Tokens that no price is known of: a budget in USD cannot count them.
        limit: ``""``, ``soft`` or ``hard``: what is reached.
    """

    budget: Budget
    covers: str
    begins: datetime | None
    ends: datetime | None
    cost: int = 0
    tokens: int = 0
    unpriced: int = 0

    @property
    def limit(self) -> str:
        if self.budget.hard.is_reached(self.cost, self.tokens):
            return "hard"
        return "soft" if self.budget.soft.is_reached(self.cost, self.tokens) else ""

    @property
    def window(self) -> str:
        """As the journal names it."""
        return self.begins.isoformat() if self.begins is not None else ""

    def figures(self, limit: Limit) -> str:
        parts = []
        if limit.cost is not None:
            parts.append(f"{dollars(self.cost)} of {dollars(limit.cost)}")
        if limit.tokens is not None:
            parts.append(f"{tokens(self.tokens)} of {tokens(limit.tokens)} tokens")
        return ", ".join(parts)

    @property
    def why(self) -> str:
        """One line that stays the same for as long as the limit is reached."""
        until = f" until {self.ends:%Y-%m-%d %H:%M} UTC" if self.ends is not None else ""
        return f"over budget: '{self.budget.name}' for {self.covers} is spent{until}"


class Accounts:
    """All budgets as they stand at one moment: built once for a look, asked for every agent."""

    def __init__(self, spending: Spending, budgets: Sequence[Budget], now: datetime) -> None:
        self._budgets = budgets
        self._now = now
        self._sums = [_sums(budget, spending, now) for budget in budgets]

    def standings(self) -> Iterator[Standing]:
        """Every budget for all that it covers and that spent anything."""
        for budget, sums in zip(self._budgets, self._sums, strict=True):
            for covers in sums:
                yield self._standing(budget, covers, sums)

    def over(self, purpose: Purpose) -> Standing | None:
        """The first hard limit that is reached and covers `purpose`."""
        for budget, sums in zip(self._budgets, self._sums, strict=True):
            covers = budget.covers(purpose)
            if covers is not None:
                standing = self._standing(budget, covers, sums)
                if standing.limit == "hard":
                    return standing
        return None

    def _standing(self, budget: Budget, covers: str, sums: dict[str, tuple[int, int, int]]) -> Standing:
        cost, count, unpriced = sums.get(covers, (0, 0, 0))
        begins, ends = budget.begin(self._now), budget.end(self._now)
        return Standing(budget, covers, begins, ends, cost, count, unpriced)


def purpose_of(spec: AgentSpec, repo: str = "", issue: int | None = None, task: str = "") -> Purpose:
    """What an agent's next use of its model would count for."""
    return Purpose(spec.name, task, repo, issue, spec.model or "", spec.backend, spec.role, spec.shares)


def ruling(spending: Spending, budgets: Sequence[Budget], purpose: Purpose, now: datetime) -> Standing | None:
    """Why `purpose` may use no model now: the hard limit that is reached, with its `why`; None: it may.

    An agent's first use of nothing is covered too: a limit of 0 stops at once.
    """
    return Accounts(spending, budgets, now).over(purpose) if budgets else None


def _sums(budget: Budget, spending: Spending, now: datetime) -> dict[str, tuple[int, int, int]]:
    """Micro-USD, tokens and tokens without a price, by what the budget covers."""
    sums: dict[str, tuple[int, int, int]] = {}
    for row in _within(spending.rows.values(), budget.begin(now), budget.end(now)):
        covers = budget.covers(row.purpose)
        if covers is not None:
            cost, count, unpriced = sums.get(covers, (0, 0, 0))
            sums[covers] = (cost + row.cost, count + row.tokens.total, unpriced + row.unpriced)
    return sums


def _within(rows: Iterable[Spent], begin: datetime | None, end: datetime | None) -> Iterator[Spent]:
    for row in rows:
        if (begin is None or row.hour >= begin) and (end is None or row.hour < end):
            yield row


def _word(scope: BudgetScope, purpose: Purpose) -> str:
    match scope:
        case BudgetScope.HIVE:
            return ""
        case BudgetScope.AGENT:
            return purpose.agent
        case BudgetScope.REPO:
            return purpose.repo
        case BudgetScope.ISSUE:
            return f"{purpose.repo}#{purpose.issue}" if purpose.issue is not None else ""
        case BudgetScope.ROLE:
            return purpose.role
        case BudgetScope.MODEL:
            return purpose.model
        case BudgetScope.BACKEND:
            return purpose.backend
        case BudgetScope.ACCOUNT:
            return purpose.account
