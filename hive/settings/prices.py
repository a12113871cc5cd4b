"""Prices of models from hive's own file and from `hive.yaml`, into the decision's own rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from hive import assets, documents
from hive.decisions.prices import PriceTable
from hive.documents.values import Whole
from hive.facts.usage import Price
from hive.settings.policies import Name, SettingsModel

ASSET = "config/prices.yaml"


def _dollars(value: Any) -> Any:
    """Micro-USD from dollars in decimal digits."""
    if isinstance(value, int):
        return value * 1_000_000
    if isinstance(value, str):
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", value) is None:
            raise ValueError(f"'{value}' is no amount; write US dollars with at most six decimals, like 12.5")
        return int(Decimal(value) * 1_000_000)
    return value


Dollars = Annotated[
    int,
    BeforeValidator(_dollars, json_schema_input_type=Annotated[float, Field(ge=0)] | Annotated[str, Field()]),
]
"""An amount of money: US dollars as they are written, micro-USD as they are kept."""


def _day(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError as error:
            raise ValueError(f"'{value}' is no day; write it like 2026-11-30") from error
    return value


Day = Annotated[date, BeforeValidator(_day)]


class PriceModel(SettingsModel):
    """What a model costs, in US dollars per million tokens."""

    model: Name = Field(description="The model's name; * stands for any letters.")
    since: Day = Field(
        default=date(2000, 1, 1), description="The first day of this price, UTC; left out: always."
    )
    prompt_over: Annotated[Whole, Field(ge=0)] = Field(
        default=0, description="For prompts of more than so many tokens."
    )
    input: Dollars = Field(description="Tokens read anew.")
    output: Dollars = Field(description="Tokens written.")
    cache_read: Dollars | None = Field(
        default=None, description="Tokens read from a cache; left out: as input."
    )
    cache_write: Dollars | None = Field(
        default=None, description="Tokens written to a cache; left out: as input."
    )
    cache_write_hour: Dollars | None = Field(
        default=None, description="Tokens kept for an hour; left out: as cache_write."
    )

    def price(self, *, own: bool) -> Price:
        write = self.input if self.cache_write is None else self.cache_write
        return Price(
            model=self.model.casefold(),
            since=self.since,
            prompt_over=self.prompt_over,
            input=self.input,
            output=self.output,
            cache_read=self.input if self.cache_read is None else self.cache_read,
            cache_write=write,
            cache_write_hour=write if self.cache_write_hour is None else self.cache_write_hour,
            own=own,
        )


class PricesFile(SettingsModel):
    """The shape of `config/prices.yaml`."""

    prices: list[PriceModel]


def load_prices(own: Iterable[Price] = ()) -> PriceTable:
    """The table that hive ships, below the operator's own rows. Raises `ConfigError` when it was damaged."""
    return PriceTable((*own, *_shipped()))


@cache
def _shipped() -> tuple[Price, ...]:
    return read_prices(assets.data(ASSET), ASSET).rows


def read_prices(data: bytes, source: str) -> PriceTable:
    """The table in `data`. Raises `ConfigError` for one that is malformed."""
    parsed = documents.read(data, source).parse(PricesFile)
    return PriceTable(row.price(own=False) for row in parsed.prices)
