"""Which messages are to go out now."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from hive.decisions.notice_policy import Channel, NoticePolicy
from hive.decisions.notices.message import Message, message
from hive.decisions.notices.needs import still_waiting
from hive.decisions.recall_needs import RESOLVED
from hive.facts.memory import Memory
from hive.facts.needs import ChannelMemory, NeedKind, NeedMemory

_AT_HAND = frozenset({NeedKind.ASKING, NeedKind.BLOCKED, NeedKind.LOGGED_OUT})
"""Kinds that a person at the agent's session sees for himself."""
_SINGLY = 3
"""So many at once are told one by one; more go in one message."""
_HOUR = timedelta(hours=1)
_BACKOFF, _BACKOFF_CAP = timedelta(seconds=30), timedelta(hours=1)


def due(
    memory: Memory, policy: NoticePolicy, now: datetime, *, attended: frozenset[str] = frozenset()
) -> tuple[Message, ...]:
    """Messages that no channel was sent yet; at most one batch for each channel.

    Args:
        attended: Agents at whose session a person sits.
    """
    found: list[Message] = []
    for channel in policy.channels:
        known = memory.channels.get(channel.name, ChannelMemory())
        if known.underway or _rests(known, now):
            continue
        left = channel.per_hour - sum(now - at < _HOUR for at in known.sent)
        news = [*_batch(channel, [*_news(channel, memory, policy, now, attended)], left, resolved=False)]
        if not news and channel.resolved and not policy.is_quiet(now):
            news += _batch(channel, [*_gone(channel, memory, policy, now)], left, resolved=True)
        found += news
    return tuple(found)


def _rests(known: ChannelMemory, now: datetime) -> bool:
    """Whether a channel that failed has to wait before the next try."""
    if known.failed_at is None or not known.failures:
        return False
    wait: timedelta = _BACKOFF * 2 ** min(known.failures - 1, 10)
    return now < known.failed_at + min(wait, _BACKOFF_CAP)


def _batch(channel: Channel, needs: list[NeedMemory], left: int, *, resolved: bool) -> Iterator[Message]:
    if not needs or left <= 0:
        return
    if len(needs) > min(_SINGLY, left):
        yield message(channel.name, needs, resolved=resolved)
        return
    for need in needs:
        yield message(channel.name, [need], resolved=resolved)


def _news(
    channel: Channel, memory: Memory, policy: NoticePolicy, now: datetime, attended: frozenset[str]
) -> Iterator[NeedMemory]:
    quiet, digest = policy.is_quiet(now), policy.last_digest(channel, now)
    for one in still_waiting(memory.needs):
        need = one.need
        if not channel.takes(need) or now - one.since < policy.delay:
            continue
        if need.kind in _AT_HAND and need.agent in attended:
            continue
        told = one.told.get(channel.name)
        if told is not None and (policy.remind is None or now - told < policy.remind):
            continue
        waits = quiet or (channel.digest and (digest is None or digest < one.since))
        if need.kind in policy.urgent or not waits:
            yield one


def _gone(channel: Channel, memory: Memory, policy: NoticePolicy, now: datetime) -> Iterator[NeedMemory]:
    """Needs that the channel was told of and that have been gone for as long as a new one has to stand."""
    for one in memory.needs.values():
        if one.cleared_at is None or now - one.cleared_at < policy.delay:
            continue
        if channel.name in one.told and f"{channel.name}/{RESOLVED}" not in one.told:
            yield one
