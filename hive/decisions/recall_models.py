"""What keeps an agent from its model, out of what the journal has of it."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.recall_maps import Maps
from hive.facts.memory import AgentMemory
from hive.facts.model_events import ModelRefused
from hive.facts.models import ModelStanding
from hive.facts.usage import UsageSource
from hive.facts.usage_events import BudgetReached, UsageRecorded


def standing(event: ModelRefused, at: datetime) -> ModelStanding:
    return ModelStanding(event.problem, event.provider, event.account, at, event.until, event.detail)


def answered(maps: Maps, event: UsageRecorded | BudgetReached) -> None:
    """An answer through the relay: nothing stands between the agent and its model now."""
    if not isinstance(event, UsageRecorded) or event.source != UsageSource.RELAY:
        return
    if event.is_estimate and not event.output:
        return  # it is in doubt whether there was an answer
    if maps.agents.get(event.agent, AgentMemory()).model is not None:
        maps.agent(event.agent, model=None)
