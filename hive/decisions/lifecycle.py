"""When agents are started, restarted, stopped or left alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """How patient hive is with agents and tasks."""

    backoff: timedelta = timedelta(seconds=5)
    """Wait after the first crash; doubled for each further one."""
    backoff_cap: timedelta = timedelta(minutes=10)
    stagger: timedelta = timedelta(seconds=1)
    """Between two starts of one backend: several at once were seen to fail their log-in together."""
    deadline: timedelta = timedelta(hours=2)
    """A task that takes longer is released."""
    attempts: int = 3
    """Tries at one issue before it is left to a person."""
    rest: timedelta = timedelta(minutes=1)
    """Before an issue is tried again; doubled for each further try."""
    killed_agents: int = 2
    """An issue under which so many agents crashed is quarantined."""


def backoff(policy: LifecyclePolicy, crashes: int) -> timedelta:
    """How long to wait before the next start after `crashes` crashes in a row."""
    if crashes <= 0:
        return timedelta()
    factor: int = 2 ** min(crashes - 1, 30)
    return min(policy.backoff * factor, policy.backoff_cap)


def may_start(policy: LifecyclePolicy, crashes: int, crashed_at: datetime | None, now: datetime) -> bool:
    """Whether a crashed agent has waited long enough."""
    return crashed_at is None or now >= crashed_at + backoff(policy, crashes)
