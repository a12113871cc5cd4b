"""How often to look at each repository, so that what the forge lets hive ask lasts until there is more.

Acts come before looks: a share of every limit is kept for them, and no look is begun out of it. Where looks
have to be fewer, repositories where nothing of hive's is under way are looked at less often first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hive.decisions.instants import iso
from hive.facts.quotas import Pace, Quota

RESERVE = 0.2
"""Share of a limit that is kept for acts (chosen): a thousand of GitHub's five thousand."""

_IDLE = 4.0
"""How many times less often an idle repository is looked at, at most, before all are (chosen)."""

_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Watched:
    """One repository: whose limits looks at it are taken from, what one costs of each resource, and whether
    something of hive's is under way there."""

    holder: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)
    is_under_way: bool = False


def pace(poll: timedelta, watched: Mapping[str, Watched], quotas: Iterable[Quota], now: datetime) -> Pace:
    """Every repository's interval, `poll` at least."""
    told = tuple(quotas)
    intervals = dict.fromkeys(watched, poll)
    reasons: list[str] = []
    for quota in told:
        here = {repo: one for repo, one in watched.items() if one.holder == quota.holder}
        found = _intervals(poll, here, quota, now)
        if any(found[repo] > poll for repo in here):
            reasons.append(_because(poll, found, quota, now))
        for repo, interval in found.items():
            intervals[repo] = max(intervals[repo], interval)
    return Pace(intervals, "; ".join(reasons), told)


def for_looks(quota: Quota, now: datetime) -> float:
    """What of it looks may still take before it is whole again; nothing or less where only acts may."""
    left = quota.limit if now >= quota.resets_at else quota.remaining
    return left - RESERVE * quota.limit


def waits_until(quotas: Iterable[Quota], now: datetime) -> tuple[datetime, str] | None:
    """Until when no look may be begun, and why; `None` where one may."""
    used_up = [one for one in quotas if for_looks(one, now) <= 0]
    if not used_up:
        return None
    last = max(used_up, key=lambda one: one.resets_at)
    return last.resets_at, f"{_left(last)}, which is kept for acts until {iso(last.resets_at)}"


def pace_row(pace: Pace) -> dict[str, Any]:
    """For documents: how often each repository is looked at, why not oftener, and what is left."""
    return {
        "because": pace.because,
        "poll_seconds": {repo: round(one.total_seconds()) for repo, one in sorted(pace.intervals.items())},
        "quotas": [
            {
                "holder": one.holder,
                "resource": one.resource,
                "limit": one.limit,
                "remaining": one.remaining,
                "resets_at": iso(one.resets_at),
            }
            for one in pace.quotas
        ],
    }


def _intervals(
    poll: timedelta, watched: Mapping[str, Watched], quota: Quota, now: datetime
) -> Mapping[str, timedelta]:
    left = quota.resets_at - now if now < quota.resets_at else _HOUR
    has = for_looks(quota, now)
    if has <= 0:
        return dict.fromkeys(watched, max(poll, left))
    # What one interval of `poll` may cost.
    affordable = has * (poll / left)
    costs = {repo: one.costs.get(quota.resource, 0.0) for repo, one in watched.items()}
    busy = sum(cost for repo, cost in costs.items() if watched[repo].is_under_way)
    idle = sum(costs.values()) - busy
    often, seldom = _factors(busy, idle, affordable)
    return {
        repo: poll * (often if one.is_under_way else seldom) if costs[repo] else poll
        for repo, one in watched.items()
    }


def _factors(busy: float, idle: float, affordable: float) -> tuple[float, float]:
    """How many times the interval is longer for what is under way, and for what is idle."""
    if busy + idle <= affordable:
        return 1.0, 1.0
    if busy + idle / _IDLE <= affordable:
        return 1.0, idle / (affordable - busy)
    slower = (busy + idle / _IDLE) / affordable
    return slower, slower * _IDLE


def _because(poll: timedelta, found: Mapping[str, timedelta], quota: Quota, now: datetime) -> str:
    shortest, longest = min(found.values()), max(found.values())
    told = f"{_seconds(shortest)}" if shortest == longest else f"{_seconds(shortest)} to {_seconds(longest)}"
    until = f" until {iso(quota.resets_at)}" if now < quota.resets_at else ""
    return f"looks every {told} instead of {_seconds(poll)}: {_left(quota)}{until}"


def _left(quota: Quota) -> str:
    unit = "points of GraphQL" if quota.resource == "graphql" else f"requests ({quota.resource})"
    return f"{quota.remaining} of {quota.limit} {unit} are left to {quota.holder}"


def _seconds(interval: timedelta) -> str:
    return f"{interval.total_seconds():.0f} s"
