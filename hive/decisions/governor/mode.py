"""Which mode the load makes, with hysteresis: what hovers about a threshold does not flap."""

from __future__ import annotations

from datetime import datetime

from hive.decisions.governor_policy import GovernorPolicy
from hive.facts.governor import GovernorMemory, LoadMode
from hive.facts.governor_events import LoadModeChanged

_DOWNWARDS = (LoadMode.SURGE, LoadMode.BUSY, LoadMode.QUIET)


def mode_of_load(
    total: float, known: GovernorMemory | None, policy: GovernorPolicy, now: datetime, *, is_whole: bool
) -> LoadMode:
    """The mode that holds now.

    Args:
        total: The weighted pressure of what was seen.
        is_whole: Every repository was seen. What is not seen is not empty: no mode is left downwards then.
    """
    reached = _reached(total, policy)
    if known is None or reached is known.mode:
        return reached
    if reached.rank > known.mode.rank:
        settled = now - known.since >= policy.dwell
        return reached if settled or reached is LoadMode.SURGE else known.mode
    if not is_whole or now - known.since < policy.dwell:
        return known.mode
    left = total < policy.thresholds[known.mode] * (1 - policy.margin)
    return reached if left else known.mode


def _reached(total: float, policy: GovernorPolicy) -> LoadMode:
    for mode in _DOWNWARDS:
        if mode in policy.thresholds and total >= policy.thresholds[mode]:
            return mode
    return LoadMode.IDLE


def news(
    total: float,
    why: str,
    known: GovernorMemory | None,
    policy: GovernorPolicy,
    now: datetime,
    *,
    is_whole: bool,
) -> LoadModeChanged | None:
    """What to record: another mode than the journal has; nothing of a first look that saw not all."""
    mode = mode_of_load(total, known, policy, now, is_whole=is_whole)
    if known is None:
        return LoadModeChanged(mode=mode, pressure=total, why=why) if is_whole else None
    return None if mode is known.mode else LoadModeChanged(mode=mode, pressure=total, why=why)


def forecast(mode: LoadMode, total: float, policy: GovernorPolicy) -> str:
    """What would change the mode, for a person."""
    above = [one for one in reversed(_DOWNWARDS) if one.rank > mode.rank and one in policy.thresholds]
    parts = [f"{above[0]} from {policy.thresholds[above[0]]:g}"] if above else []
    if mode in policy.thresholds:
        low = policy.thresholds[mode] * (1 - policy.margin)
        parts.append(f"lower below {low:g}")
    return f"pressure {total:g}; " + ", ".join(parts) if parts else f"pressure {total:g}"
