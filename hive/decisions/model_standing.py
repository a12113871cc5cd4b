"""What state an agent is in by what its provider said to it through the relay.

It goes before hooks and screens, which tell the same later and in fewer words.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.facts.agents import AgentState
from hive.facts.models import ModelProblem, ModelStanding

_STATES = {
    ModelProblem.LIMITED: AgentState.LIMITED,
    ModelProblem.OUT_OF_CREDIT: AgentState.OUT_OF_CREDIT,
    ModelProblem.LOGGED_OUT: AgentState.LOGGED_OUT,
    ModelProblem.OVER_BUDGET: AgentState.OUT_OF_CREDIT,
}
"""The others are the provider's or the request's affair, and the program says what it makes of them."""
_BELIEVED = timedelta(minutes=5)
"""For so long what has no end of its own counts; whoever asks again then hears it again."""


def told_by_relay(standing: ModelStanding | None, now: datetime) -> tuple[AgentState, str] | None:
    """The state and one line of detail; None where the relay has nothing to say against the agent."""
    if standing is None or standing.problem not in _STATES:
        return None
    until = standing.until if standing.until is not None else standing.at + _BELIEVED
    if now >= until:
        return None
    end = f", until {until:%Y-%m-%d %H:%M} UTC" if standing.until is not None else ""
    word = "hive's budget: " if standing.problem is ModelProblem.OVER_BUDGET else ""
    return _STATES[standing.problem], f"{word}{standing.detail} ({standing.account}{end})"
