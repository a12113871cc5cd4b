"""Needs and channels, folded from the journal."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias, assert_never

from hive.facts import need_events as e
from hive.facts.needs import ChannelMemory, Need, NeedMemory

SAME = timedelta(minutes=10)
"""A need that comes back within it is the one that went: what flaps is told of once."""
_KEPT = timedelta(hours=1)
RESOLVED = "resolved"

NeedEvent: TypeAlias = e.NeedRaised | e.NeedCleared | e.NoticeBegun | e.NoticeEnded


def fold(
    needs: MutableMapping[str, NeedMemory],
    channels: MutableMapping[str, ChannelMemory],
    event: NeedEvent,
    at: datetime,
) -> None:
    """Take `event` into both maps, which forget what is long over."""
    match event:
        case e.NeedRaised():
            _forget(needs, at)
            needs[event.key] = _raised(needs.get(event.key), event, at)
        case e.NeedCleared():
            if event.key in needs:
                needs[event.key] = replace(needs[event.key], cleared_at=at)
        case e.NoticeBegun():
            known = channels.get(event.channel, ChannelMemory())
            channels[event.channel] = replace(known, underway=(*known.underway, event.notice))
        case e.NoticeEnded():
            _ended(needs, channels, event, at)
        case _ as never:
            assert_never(never)


def _raised(known: NeedMemory | None, event: e.NeedRaised, at: datetime) -> NeedMemory:
    need = Need(
        key=event.key,
        kind=event.need,
        about=event.about,
        text=event.text,
        command=event.command,
        agent=event.agent,
        repo=event.repo,
    )
    if known is None or (known.cleared_at is not None and at - known.cleared_at > SAME):
        return NeedMemory(need, at)
    told = {name: when for name, when in known.told.items() if not name.endswith(f"/{RESOLVED}")}
    return NeedMemory(need, known.since, told=told)


def _forget(needs: MutableMapping[str, NeedMemory], at: datetime) -> None:
    for key in [key for key, one in needs.items() if one.cleared_at and at - one.cleared_at > _KEPT]:
        del needs[key]


def _ended(
    needs: MutableMapping[str, NeedMemory],
    channels: MutableMapping[str, ChannelMemory],
    event: e.NoticeEnded,
    at: datetime,
) -> None:
    known = channels.get(event.channel, ChannelMemory())
    underway = tuple(one for one in known.underway if one != event.notice)
    if event.failure:
        channels[event.channel] = replace(
            known, underway=underway, failures=known.failures + 1, failed_at=at, failure=event.failure
        )
        return
    sent = (*(one for one in known.sent if at - one < _KEPT), at)
    channels[event.channel] = ChannelMemory(sent=sent, underway=underway)
    for key in event.keys:
        if key in needs:
            one = needs[key]
            name = f"{event.channel}/{RESOLVED}" if event.resolved else event.channel
            needs[key] = replace(one, told={**one.told, name: at})
