"""Needs and notices in words."""

from __future__ import annotations

from typing import assert_never

from hive.facts.need_events import NeedCleared, NeedRaised, NoticeBegun, NoticeEnded


def of_need(event: NeedRaised | NeedCleared | NoticeBegun | NoticeEnded) -> str:
    match event:
        case NeedRaised(about=about, text=text, command=command):
            return f"{about} waits for a person" + (f": {text}" if text else "") + f" ({command})"
        case NeedCleared(about=about):
            return f"{about} no longer waits for a person"
        case NoticeBegun(channel=channel, title=title):
            return f"telling {channel}: {title}"
        case NoticeEnded(channel=channel, failure=failure):
            return f"{channel} was not told: {failure}" if failure else f"{channel} was told"
        case _ as never:
            assert_never(never)
