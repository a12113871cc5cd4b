"""The section `budgets` of `hive.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from hive.decisions.budgets import Budget, BudgetScope, Limit
from hive.documents import Document
from hive.documents.values import Text, Whole
from hive.settings.policies import Name, SettingsModel
from hive.settings.prices import Dollars

_HOUR = timedelta(hours=1)
_WINDOW = re.compile(r"([0-9]{1,4})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def _window(value: Any) -> Any:
    if value in ("total", "task"):
        return value
    match = _WINDOW.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"'{value}' is no window; write 1h, 1d, 1w (or more of one), total or task")
    window = timedelta(**{_UNITS[match[2]]: int(match[1])})
    if window < _HOUR:
        raise ValueError("a window lasts an hour at least")
    return window


Window = Annotated[
    timedelta | str,
    BeforeValidator(
        _window,
        json_schema_input_type=Annotated[str, Field(pattern=r"^([0-9]{1,4}[hdw]|total|task)$")],
    ),
]


class BudgetModel(SettingsModel):
    """What models may cost in a window, before a person is told and before hive stops."""

    name: Name = Field(description="Unique among budgets; it is what people are told.")
    scope: BudgetScope = Field(default=BudgetScope.HIVE, description="Whose spending counts.")
    of: Text = Field(
        default="", description="Which of the scope, with * for any letters; left out: each has this budget."
    )
    window: Window = Field(
        description="1h, 1d, 1w: from the hour, midnight, Monday (UTC); total: all time; task: each task."
    )
    soft_usd: Dollars | None = Field(default=None, description="US dollars at which a person is told.")
    hard_usd: Dollars | None = Field(default=None, description="US dollars at which no work is begun.")
    soft_tokens: Annotated[Whole, Field(ge=0)] | None = Field(
        default=None, description="Tokens of all kinds at which a person is told."
    )
    hard_tokens: Annotated[Whole, Field(ge=0)] | None = Field(
        default=None, description="Tokens of all kinds at which no work is begun."
    )

    def budget(self) -> Budget:
        return Budget(
            name=self.name,
            scope=self.scope,
            of=self.of,
            window=self.window if isinstance(self.window, timedelta) else None,
            per_task=self.window == "task",
            soft=Limit(self.soft_usd, self.soft_tokens),
            hard=Limit(self.hard_usd, self.hard_tokens),
        )


def read_budgets(document: Document, models: Sequence[BudgetModel]) -> tuple[Budget, ...]:
    """Raises `ConfigError` for a budget that limits nothing, or contradicts itself or another."""
    names: dict[str, int] = {}
    for index, model in enumerate(models):
        for fault, key in _faults(model, names):
            raise document.error(f"budgets[{index}]: {fault}", ("budgets", index, *key))
        names[model.name] = index
    return tuple(model.budget() for model in models)


def _faults(model: BudgetModel, names: dict[str, int]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if model.name in names:
        yield f"the name '{model.name}' is budgets[{names[model.name]}]'s already; take another", ("name",)
    limits = (model.soft_usd, model.hard_usd, model.soft_tokens, model.hard_tokens)
    if all(limit is None for limit in limits):
        yield "it limits nothing; write soft_usd, hard_usd, soft_tokens or hard_tokens", ()
    if model.scope is BudgetScope.HIVE and model.of:
        yield "the scope hive is all there is; remove 'of', or take another scope", ("of",)
    for soft, hard, unit in (
        (model.soft_usd, model.hard_usd, "usd"),
        (model.soft_tokens, model.hard_tokens, "tokens"),
    ):
        if soft is not None and hard is not None and soft > hard:
            yield f"soft_{unit} is above hard_{unit}, and would never be told of", (f"soft_{unit}",)
