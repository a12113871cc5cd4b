"""What the journal has of answers of model providers that were none."""

from __future__ import annotations

from datetime import datetime

from hive.facts.models import ModelProblem
from hive.facts.recorded import AgentEvent


class ModelRefused(AgentEvent, tag="model-refused", frozen=True, kw_only=True):
    """An agent's request to a model was refused, by the provider or by hive's budget.

    Recorded when it is news: another problem, another end of it, or a minute after the same.

    Attributes:
        provider, account: By their names in the configuration.
        status: Of the provider's answer; 0 where hive did not ask it.
        until: From when asking may succeed again, as the provider said; None where it did not.
        detail: One line for a person.
    """

    provider: str
    account: str
    problem: ModelProblem
    status: int = 0
    until: datetime | None = None
    detail: str = ""
