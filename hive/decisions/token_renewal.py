"""When agents' gateway tokens end, and which are to be renewed.

Agents outlive hive and work for hours, so that no token may end under one that runs; and whoever gets hold
of one may use it for a while only.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from hive.facts.agents import AgentSpec, AgentState
from hive.facts.memory import AgentMemory, Memory

TOKEN_LIFE = timedelta(hours=1)
"""Chosen: what forges give to tokens of installed apps."""
_RENEWED_WITH = TOKEN_LIFE / 2
"""Left of it at its renewal: a program that has read it goes on with it for so long."""
_GONE = (
    AgentState.ABSENT,
    AgentState.NOT_STARTED,
    AgentState.PAUSED,
    AgentState.CRASHED,
    AgentState.FAILED_TO_START,
)
"""States in which nothing runs that could use another token."""


def due(
    memory: Memory, specs: Iterable[AgentSpec], now: datetime, *, early: bool = False
) -> tuple[AgentSpec, ...]:
    """Agents on this machine whose token is to be renewed now, ended ones too: hive may have been away.

    With `early`, every one that runs: at its start hive cannot know whether the newest was written.
    One without an end was given out by an older hive, to programs that cannot take another.
    """
    return tuple(spec for spec in specs if spec.sandbox is None and _is_due(memory, spec, now, early))


def _is_due(memory: Memory, spec: AgentSpec, now: datetime, early: bool) -> bool:
    known = memory.agents.get(spec.name, AgentMemory())
    if not known.token_digest or known.token_until is None or known.state in _GONE:
        return False
    return early or known.token_until - now <= _RENEWED_WITH
