"""What the journal has of needs and notices."""

from __future__ import annotations

from hive.facts.needs import NeedKind
from hive.facts.recorded import RecordedEvent


class NeedRaised(RecordedEvent, tag="need-raised", frozen=True, kw_only=True):
    """Something waits for a person (`facts.needs.Need`); recorded when it is new or its words changed."""

    key: str
    need: NeedKind
    about: str
    text: str
    command: str
    agent: str = ""
    repo: str = ""

    @property
    def subject(self) -> str:
        return self.about


class NeedCleared(RecordedEvent, tag="need-cleared", frozen=True, kw_only=True):
    key: str
    about: str

    @property
    def subject(self) -> str:
        return self.about


class NoticeBegun(RecordedEvent, tag="notice-begun", frozen=True, kw_only=True):
    """Written before a message is sent. One without an end is sent again: it may have been lost."""

    notice: str
    channel: str
    keys: tuple[str, ...]
    title: str


class NoticeEnded(RecordedEvent, tag="notice-ended", frozen=True, kw_only=True):
    """`failure` is empty for a message that the channel took; `resolved`: it told that they are gone."""

    notice: str
    channel: str
    keys: tuple[str, ...]
    resolved: bool = False
    failure: str = ""
