"""The section `notify`."""

from __future__ import annotations

import re
from datetime import time, timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field

from hive.documents.values import Duration, Flag, Text, Whole, Zone
from hive.facts.needs import NeedKind
from hive.settings.fields import Day, Minute, Repository, Second, between
from hive.settings.policies import Name, SettingsModel


def _clock(value: object) -> object:
    if isinstance(value, str):
        if re.fullmatch(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", value) is None:
            raise ValueError(f"'{value}' is no time of day; write it like 22:00, in quotes")
        return time.fromisoformat(value)
    return value


_ClockText = Annotated[str, Field(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Clock = Annotated[time, BeforeValidator(_clock, json_schema_input_type=_ClockText)]


class ChannelModel(SettingsModel):
    """One place that messages go to."""

    url: Name | None = Field(
        default=None, description="Its address for Apprise; it may hold a secret, so write ${NAME}."
    )
    url_file: Name | None = Field(
        default=None, description="Or a file with it that only you can read; relative to this file's own."
    )
    kinds: list[NeedKind] = Field(default=[], description="Needs that it takes; left out: all.")
    agents: list[Name] = Field(default=[], description="Agents that it is about; left out: all.")
    repos: list[Repository] = Field(default=[], description="Repositories; left out: all.")
    per_hour: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=12, description="The most messages in an hour; what is beyond goes together."
    )
    digest: list[Clock] = Field(
        default=[], description="Times of day at which what is not urgent goes; left out: at once."
    )
    resolved: Flag = Field(default=False, description="Whether it is told what no longer waits.")


class QuietModel(SettingsModel):
    """Hours in which only what is urgent goes out."""

    begins: Clock = Field(alias="from", description="When they begin, HH:MM in quotes.")
    ends: Clock = Field(alias="to", description="When they end; past midnight where it is the earlier.")


class NotifyModel(SettingsModel):
    """Who is told what waits for a person."""

    channels: dict[Text, ChannelModel] = Field(default={}, description="By a name of your own.")
    delay: Annotated[Duration, between(timedelta(), Day)] = Field(
        default="30s", validate_default=True, description="What goes by itself within it is not told."
    )
    remind: Annotated[Duration, between(Minute, 30 * Day)] | None = Field(
        default=None, description="After which what still waits is told again; left out: never."
    )
    quiet_hours: QuietModel | None = Field(default=None, description="Left out: none.")
    urgent: list[NeedKind] = Field(
        default=[NeedKind.INCIDENT], description="Needs that wait for neither quiet hours nor digest."
    )
    zone: Zone = Field(default="UTC", description="Whose clock, as Europe/Berlin.")
    limited_after: Annotated[Duration, between(Second, 30 * Day)] = Field(
        default="1h",
        validate_default=True,
        description="A usage limit that lasts so long is a need.",
    )
