"""When agents are started, restarted, stopped or left alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from hive.facts.memory import AgentMemory

_NOT_INSTALLED = timedelta(minutes=1)
"""Between two looks whether a missing program is there by now: each costs no more than a failed exec."""


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """How patient hive is with agents and tasks."""

    backoff: timedelta = timedelta(seconds=5)
    """Wait after the first crash; doubled for each further one."""
    backoff_cap: timedelta = timedelta(minutes=10)
    restarts: int = 8
    """So many crashes within `window`, with no work proven between them: a person has to look."""
    window: timedelta = timedelta(hours=1)
    stagger: timedelta = timedelta(seconds=1)
    """Between two starts of one backend: several at once were seen to fail their log-in together."""
    hung_after: timedelta = timedelta(minutes=15)
    """An agent that is at work and gives no sign of it for so long is interrupted, then started anew."""
    deadline: timedelta = timedelta(hours=2)
    """A task that takes longer is released."""
    attempts: int = 3
    """Tries at one issue before it is left to a person."""
    rest: timedelta = timedelta(minutes=1)
    """Before an issue is tried again; doubled for each further try."""
    killed_agents: int = 2
    """An issue under which so many agents crashed is quarantined."""
    hands_off: timedelta = timedelta(minutes=1)
    """Hive types nothing where a person has typed within so long; zero: it takes no heed of them."""


def backoff(policy: LifecyclePolicy, crashes: int) -> timedelta:
    """How long to wait before the next start after `crashes` crashes in a row."""
    if crashes <= 0:
        return timedelta()
    factor: int = 2 ** min(crashes - 1, 30)
    return min(policy.backoff * factor, policy.backoff_cap)


def may_start(policy: LifecyclePolicy, agent: AgentMemory, now: datetime) -> bool:
    """Whether an agent has waited long enough since its last crash, and nobody has to look at it first."""
    if is_parked(policy, agent):
        return False
    if agent.crashed_at is None:
        return True
    wait = _NOT_INSTALLED if agent.not_installed else backoff(policy, agent.crashes)
    return now >= agent.crashed_at + wait


def is_parked(policy: LifecyclePolicy, agent: AgentMemory) -> bool:
    """Whether an agent has crashed too often within the window. Time alone does not free it: only work that
    was proven, or a person (`hive restart`)."""
    if len(agent.crash_times) < policy.restarts:
        return False
    return agent.crash_times[-1] - agent.crash_times[-policy.restarts] <= policy.window
