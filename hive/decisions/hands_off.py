"""Where a person types, hive does not: two at one keyboard make one text of which neither is the author."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.durations import spell
from hive.decisions.lifecycle import LifecyclePolicy
from hive.facts.agents import AgentSighting


def is_typed_in(sighting: AgentSighting, policy: LifecyclePolicy, now: datetime) -> bool:
    """Whether a person has pressed a key in the agent's session within `hands_off`."""
    typed_at = sighting.pane.typed_at
    return typed_at is not None and now - typed_at < policy.hands_off


def why_hands_off(sighting: AgentSighting | None, policy: LifecyclePolicy, now: datetime) -> str:
    """One line for people; empty while hive may type. It counts no seconds: it is the same while it holds."""
    if sighting is None or not is_typed_in(sighting, policy, now):
        return ""
    who = sighting.pane.typed_by or "somebody"
    return f"{who} types there: hive types nothing until {spell(policy.hands_off)} after the last key"
