"""Nothing is published, and nothing merged, while nobody is there to see it.

Settings (``quiet-hours``; not in force unless ``hive.yaml`` names it):

- ``from``, ``to``: ``HH:MM``; past midnight where ``to`` is the earlier one.
- ``zone``: whose clock, as ``Europe/Berlin``.
- ``days``: on which of them quiet hours begin, as ``[sat, sun]``; all where left out.
- ``ruling``: ``deny`` (try again afterwards) or ``hold``.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from hive.contracts.guardrail import Proposal
from hive.documents.values import Zone
from hive_guardrails.rule import QUIET_ACTIONS, Rule, Settings, Tightened

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _clock(value: str) -> str:
    if re.fullmatch(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", value) is None:
        raise ValueError(f"'{value}' is no time of day; write it like 22:00")
    return value


Clock = Annotated[str, AfterValidator(_clock)]


class QuietHours(Settings):
    begins: Clock = Field(default="22:00", alias="from", description="When they begin, HH:MM.")
    ends: Clock = Field(default="06:00", alias="to", description="When they end, HH:MM.")
    zone: Zone = Field(default="UTC", description="Whose clock.")
    days: list[Day] = Field(default=list(_DAYS), min_length=1, description="On which they begin.")
    ruling: Tightened = "deny"


def judge(proposal: Proposal, settings: QuietHours) -> tuple[Tightened, str] | None:
    if proposal.action in QUIET_ACTIONS or not _is_quiet(proposal, settings):
        return None
    return settings.ruling, f"these are quiet hours, until {settings.ends} {settings.zone}; try again then"


def _is_quiet(proposal: Proposal, settings: QuietHours) -> bool:
    there = proposal.at.astimezone(ZoneInfo(settings.zone))
    now, begins, ends = there.strftime("%H:%M"), settings.begins, settings.ends
    if begins < ends:
        return begins <= now < ends and _DAYS[there.weekday()] in settings.days
    if now >= begins:
        return _DAYS[there.weekday()] in settings.days
    return now < ends and _DAYS[(there - timedelta(days=1)).weekday()] in settings.days


guardrail = Rule("quiet-hours", QuietHours, is_on=False, judge=judge)
