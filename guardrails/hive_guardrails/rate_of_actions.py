"""An agent in a loop is stopped before it floods a repository.

Settings (``rate-of-actions``; not in force unless ``hive.yaml`` names it):

- ``actions``: how many an agent may do, over all repositories.
- ``per``: in what time.
- ``ruling``: ``deny`` or ``hold``.

What was refused does not count, nor what nobody sees (reading, findings).
"""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from hive.contracts.guardrail import Proposal
from hive.documents.values import Duration, Whole
from hive.facts.deeds import KEPT
from hive_guardrails.rule import QUIET_ACTIONS, Rule, Settings, Tightened

_UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


def _span(value: timedelta) -> timedelta:
    if not timedelta(seconds=1) <= value <= timedelta(days=7):
        raise ValueError("from 1s to 7d is expected")
    return value


class RateOfActions(Settings):
    actions: Annotated[Whole, Field(ge=1, le=KEPT)] = Field(default=60, description="How many.")
    per: Annotated[Duration, AfterValidator(_span)] = Field(
        default="1h", validate_default=True, description="In what time."
    )
    ruling: Tightened = "deny"


def judge(proposal: Proposal, settings: RateOfActions) -> tuple[Tightened, str] | None:
    if proposal.action in QUIET_ACTIONS:
        return None
    since = proposal.at - settings.per
    counted = [
        deed.at for deed in proposal.past.recent if deed.at > since and deed.action not in QUIET_ACTIONS
    ]
    if len(counted) < settings.actions:
        return None
    free = (counted[-settings.actions] + settings.per).astimezone(UTC)
    because = f"{settings.actions} actions in {_spelt(settings.per)} are all that an agent may do"
    return settings.ruling, f"{because}; the next one may be at {free:%Y-%m-%dT%H:%M:%SZ}"


def _spelt(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    unit, size = next((unit, size) for unit, size in _UNITS if seconds % size == 0)
    return f"{seconds // size}{unit}"


guardrail = Rule("rate-of-actions", RateOfActions, is_on=False, judge=judge)
