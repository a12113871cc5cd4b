"""What was spent, as far as budgets and tables ask for it, and what limits models have set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from hive.facts.usage import TokenUsage

KEPT_KEYS = 600
"""Of one agent. Chosen: more messages than an agent gets between two looks at its transcript."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """Who used a model and for what; what a budget may be about."""

    agent: str
    task: str = ""
    repo: str = ""
    issue: int | None = None
    model: str = ""
    backend: str = ""
    role: str = ""
    account: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """The sum of one hour and one purpose.

    Attributes:
        hour: Its first moment, UTC.
        cost: Micro-USD of what has a price.
        unpriced: Tokens of models without one.
    """

    hour: datetime
    purpose: Purpose
    tokens: TokenUsage = field(default_factory=TokenUsage)
    cost: int = 0
    unpriced: int = 0


Count: TypeAlias = tuple[TokenUsage, int | None, datetime]
"""Of one message: its tokens, its price (None: it has none), and when it was answered."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Which messages of an agent are in the sums already.

    Attributes:
        keys: The newest, by their keys.
        until: No message from before is counted any more: its key may be forgotten.
    """

    keys: Mapping[str, Count] = field(default_factory=dict)
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """Attributes:
    rows: In the order of their first messages, by a key of hour and purpose.
    counted: By agent.
    told: Budgets' limits that were told, by budget, what it covers and limit: the window of the last time.
    """

    rows: Mapping[str, Spent] = field(default_factory=dict)
    counted: Mapping[str, Counted] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AccountLimit:
    """A limit of an account, as it was last met.

    Attributes:
        agent: Who met it, and tries first.
        limit: ``limited`` or ``out-of-credit``.
        until: When it ends, where the provider says so.
        stated: The same as it was read, over or believed or not.
    """

    agent: str
    limit: str
    seen_at: datetime
    until: datetime | None
    retry_at: datetime
    refusals: int = 1
    stated: datetime | None = None
