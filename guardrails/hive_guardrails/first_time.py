"""What an agent never did before, a person looks at once.

Settings (``first-time``; not in force unless ``hive.yaml`` names it):

- ``actions``: which kinds, by the names of ``hive acmm decide``; all where left out.
- ``ruling``: ``hold`` or ``deny``.

Merging is hive's own act, by its merge gate, and is not held by this.
"""

from __future__ import annotations

from pydantic import Field

from hive.contracts.guardrail import Proposal
from hive.facts.autonomy import Action
from hive_guardrails.rule import QUIET_ACTIONS, Rule, Settings, Tightened


class FirstTime(Settings):
    actions: list[Action] | None = Field(default=None, min_length=1, description="Which kinds of action.")
    ruling: Tightened = "hold"


def judge(proposal: Proposal, settings: FirstTime) -> tuple[Tightened, str] | None:
    action = proposal.action
    if action in QUIET_ACTIONS or action is Action.REQUEST_MERGE or action in proposal.past.kinds:
        return None
    if settings.actions is not None and action not in settings.actions:
        return None
    return settings.ruling, f"it is the first {action} of {proposal.agent}, and a person looks at that one"


guardrail = Rule("first-time", FirstTime, is_on=False, judge=judge)
