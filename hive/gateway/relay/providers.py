"""The providers that the relay leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hive.facts.models import Dialect

PREFIX = "/v1/relay/"
"""Below it, by the provider's name, each has its API. No address of the forge begins so."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Attributes:
    base_url: As its own libraries take it (OpenAI's with ``/v1``), without a slash at its end.
    credential: Its key, asked for at each use; never logged. Raises `WorldError` where there is none now.
    """

    name: str
    dialect: Dialect
    base_url: str
    account: str
    credential: Callable[[], str] = field(repr=False)


def path_of(provider: str, dialect: Dialect) -> str:
    """Below the gateway's root, what an agent's program takes for the provider's root."""
    return f"{PREFIX}{provider}" + ("/v1" if dialect is Dialect.OPENAI else "")
