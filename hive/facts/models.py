"""Model providers: which language one speaks, and what it said to an agent the last time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Dialect(StrEnum):
    """Of a provider's HTTP API. OpenAI's has two ways to ask: chat completions and responses."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    GEMINI = "gemini"


class ModelProblem(StrEnum):
    """Why an agent's request got no answer of a model."""

    LIMITED = "limited"
    """429: too much was asked in a while; it may be asked again later."""
    OVERLOADED = "overloaded"
    """529 and 503: everybody is asked to come back later."""
    OUT_OF_CREDIT = "out-of-credit"
    """402, and what says so under another status."""
    LOGGED_OUT = "logged-out"
    """401: the provider does not take hive's key."""
    FORBIDDEN = "forbidden"
    """403: the key may not do this."""
    OVER_BUDGET = "over-budget"
    """Hive's own word: nothing was asked of the provider."""


@dataclass(frozen=True, slots=True)
class ModelStanding:
    """What stood between an agent and its model when it asked last; gone with the next answer.

    Attributes:
        provider, account: By their names in the configuration.
        until: From when asking may succeed again; None where nobody said.
    """

    problem: ModelProblem
    provider: str
    account: str
    at: datetime
    until: datetime | None = None
    detail: str = ""
