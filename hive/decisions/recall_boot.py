"""What a machine that was started anew has taken with it: all sessions, and nobody is to blame."""

from __future__ import annotations

from dataclasses import replace

from hive.decisions.recall_maps import Maps
from hive.decisions.recall_tokens import revoked
from hive.facts.agents import AgentState
from hive.facts.events import SupervisorStarted


def started(maps: Maps, event: SupervisorStarted) -> None:
    """Agents in pods, on machines of their own, go on."""
    if not event.boot:
        return
    if maps.boot and maps.boot != event.boot:
        for name, known in maps.agents.items():
            if known.token_digest and known.sandbox is None:
                maps.agents[name] = replace(
                    revoked(known), state=AgentState.ABSENT, detail="its machine was started anew"
                )
    maps.boot = event.boot
