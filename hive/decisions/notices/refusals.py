"""When hive's own gate refuses everything: named as such, for it looks like a fault of the forge."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from hive.facts.deeds import Refused
from hive.facts.memory import Memory
from hive.facts.needs import Need, NeedKind

FROM = 5
"""Refusals in a row of all agents that a rule refuses everything. Chosen: an agent that tries what it may not
do tries it two or three times, and what it may do goes through in between."""
_LATELY = timedelta(hours=1)
_MEANT = "acmm."
"""Rules of the autonomy table: what the operator's own level does not grant is no fault."""


def refusals(memory: Memory, now: datetime) -> Iterator[Need]:
    """One for each rule by which agents were refused all that they asked for lately."""
    found: dict[str, dict[str, Refused]] = {}
    for agent, deeds in memory.deeds.items():
        refused = deeds.refused
        if refused and now - refused.at < _LATELY and not refused.rule.startswith(_MEANT):
            found.setdefault(refused.rule, {})[agent] = refused
    for rule, agents in found.items():
        # How many is not told: each one more would be news.
        if sum(one.count for one in agents.values()) >= FROM:
            newest = max(agents.values(), key=lambda one: one.at)
            names = ", ".join(sorted(agents))
            text = f"hive, not the forge, refuses whatever {names} would write: {newest.because}"
            yield Need(f"refused/{rule}", NeedKind.REFUSED, rule, text, "hive audit")
