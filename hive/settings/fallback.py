"""What an agent may run on: its own entry first, then its `fallback`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hive.facts.alternatives import Alternative
from hive.settings.fallback_model import FallbackModel
from hive.settings.models import ModelProvider
from hive.settings.models_section import provider_of


@dataclass(frozen=True, slots=True)
class Entry:
    """A fallback with what it has of its agent: what `models_section.provider_faults` looks at."""

    backend: str
    provider: str | None
    environment: Mapping[str, str]


class Choice(Protocol):
    """What an agent's own entry and its fallbacks have in common."""

    @property
    def backend(self) -> str: ...

    @property
    def model(self) -> str | None: ...

    @property
    def provider(self) -> str | None: ...

    @property
    def account(self) -> str: ...

    @property
    def command(self) -> Sequence[str]: ...


def choices(
    own: Alternative, fallback: Sequence[FallbackModel], models: Mapping[str, ModelProvider]
) -> tuple[Alternative, ...]:
    """Its own and all that it falls back on; empty where that is nothing.

    Where one has the account of another before it, its limits are taken to be its model's: else it would be
    of no use.
    """
    if not fallback:
        return ()
    found = [own]
    for model in fallback:
        one = own_choice(model, models)
        if one.shares in {former.shares for former in found}:
            one = replace(one, account=f"{one.shares}/{one.model or one.backend}")
        found.append(one)
    return tuple(found)


def double(
    own: Alternative, fallback: Sequence[FallbackModel], models: Mapping[str, ModelProvider]
) -> int | None:
    """The place in `fallback` of the first that is the same as one before it; None where all differ."""
    known = {own}
    for index, model in enumerate(fallback):
        one = own_choice(model, models)
        if one in known:
            return index
        known.add(one)
    return None


def own_choice(model: Choice, models: Mapping[str, ModelProvider]) -> Alternative:
    """What an agent's own entry, or one of its fallbacks, says that it runs on."""
    provider = models.get(provider_of(model.provider, model.backend, models))
    return Alternative(
        backend=model.backend,
        model=model.model,
        provider=provider.name if provider is not None else "",
        account=model.account or (provider.account if provider is not None else ""),
        command=tuple(model.command),
    )
