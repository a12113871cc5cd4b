"""What an agent's memory is after something happened to its tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from hive.facts.incident_events import IncidentRaised
from hive.facts.memory import AgentMemory, Pause
from hive.facts.token_events import SandboxTokenIssued, SandboxTokenRevoked, TokenIssued

_FORMER_TOKENS = 4
"""Of one start; each renewal adds one that has not ended yet."""


def after(
    known: AgentMemory, event: TokenIssued | SandboxTokenIssued | SandboxTokenRevoked, at: datetime
) -> AgentMemory:
    match event:
        case TokenIssued():
            return _issued(known, event, at)
        case SandboxTokenIssued(cluster=cluster, digest=digest):
            return replace(known, sandbox_digests={**_others(known, cluster), cluster: digest})
        case SandboxTokenRevoked(cluster=cluster):
            return replace(known, sandbox_digests=_others(known, cluster))


def revoked(known: AgentMemory) -> AgentMemory:
    """Without any of those that were given to it on this machine."""
    return replace(known, token_digest="", token_until=None, former_tokens=(), model_digest="")


def suspected(known: AgentMemory, event: IncidentRaised, at: datetime) -> AgentMemory:
    """An agent behind an incident is as good as paused: it is stopped, and its token is void."""
    return replace(revoked(known), pause=Pause("hive", f"incident {event.incident_id}", at))


def _issued(known: AgentMemory, event: TokenIssued, at: datetime) -> AgentMemory:
    former: tuple[tuple[str, datetime], ...] = ()
    if event.renews:
        former = tuple(one for one in known.former_tokens if one[1] > at)
        if known.token_digest and known.token_until is not None:
            former = (*former, (known.token_digest, known.token_until))[-_FORMER_TOKENS:]
    renewed = replace(
        known, token_digest=event.digest, token_until=_end(event.life_s, at), former_tokens=former
    )
    # The key of the relay is of the start: what a renewal says of it is nothing.
    return renewed if event.renews else replace(renewed, model_digest=event.model_digest, model=None)


def _end(life_s: int | None, at: datetime) -> datetime | None:
    """A life that no calendar holds is none: the token is void, and the rest of the journal is read."""
    try:
        return None if life_s is None else at + timedelta(seconds=life_s)
    except OverflowError:
        return at


def _others(known: AgentMemory, cluster: str) -> dict[str, str]:
    return {name: digest for name, digest in known.sandbox_digests.items() if name != cluster}
