"""What tokens cost: the price that was in force for a model, and the sum in whole micro-USD."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache

from hive.facts.usage import Price, TokenUsage

_MILLION = 1_000_000


class PriceTable:
    """Rows of prices; of those that fit a message the operator's own goes first, then the most exact pattern,
    then the newest, then the one for the longest prompts."""

    def __init__(self, rows: Iterable[Price] = ()) -> None:
        self.rows = tuple(rows)
        self._fitting = lru_cache(maxsize=512)(self._rows_of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PriceTable) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def price(self, model: str, at: datetime, prompt: int = 0) -> Price | None:
        """What `model` cost at `at` for a prompt of so many tokens; None where no row fits."""
        day = at.astimezone(UTC).date()
        rows = [row for row in self._fitting(model) if row.since <= day and row.prompt_over <= prompt]
        rows = [row for row in rows if row.prompt_over < prompt or not row.prompt_over]
        return max(rows, key=_rank, default=None)

    def cost(self, model: str, tokens: TokenUsage, at: datetime) -> int | None:
        """Micro-USD, rounded half up; None where the model has no price."""
        price = self.price(model, at, tokens.prompt)
        if price is None:
            return None
        exact = (
            tokens.input * price.input
            + tokens.output * price.output
            + tokens.cache_read * price.cache_read
            + (tokens.cache_write - tokens.cache_write_hour) * price.cache_write
            + tokens.cache_write_hour * price.cache_write_hour
        )
        return (exact + _MILLION // 2) // _MILLION

    def _rows_of(self, model: str) -> tuple[Price, ...]:
        names = _names(model)
        return tuple(row for row in self.rows if any(fnmatchcase(name, row.model) for name in names))


def _names(model: str) -> tuple[str, ...]:
    """The name as it is written and without what routers and clouds put before it (``anthropic/…``,
    ``models/…``, ``us.anthropic.claude-…``) and programs behind it (``[1m]``)."""
    whole = model.casefold().strip()
    bare = whole.rpartition("/")[2].partition("[")[0]
    _, dot, after = bare.partition("anthropic.")
    return tuple(dict.fromkeys((whole, bare, after if dot else bare)))


def _rank(row: Price) -> tuple[bool, int, int, int]:
    letters = sum(1 for one in row.model if one not in "*?[]")
    return row.own, letters, row.since.toordinal(), row.prompt_over
