"""The section `standing`: what roles do by themselves, again and again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated

from pydantic import Field

from hive.decisions.standing_policy import StandingDuty
from hive.documents import Document
from hive.documents.models import nearest
from hive.documents.values import Duration, Text
from hive.facts.governor import LoadMode
from hive.settings.fields import Day, Minute, between
from hive.settings.policies import SettingsModel

_WHAT = {
    "scanner": "look over the code for faults, dead code and missing tests",
    "ci-maintainer": "look over the workflows and the newest runs for what is red, flaky, slow or outdated",
    "sec-check": "look over code, dependencies and workflows for weaknesses that somebody could use",
    "quality": "look over the tests for gaps, and the code for what is hard to keep right",
    "architect": "look over the structure for what is in the wrong place or has grown too large",
}
"""What these roles are for; every other role has to be told."""


class StandingModel(SettingsModel):
    """What agents of a role do by themselves, in each of their repositories."""

    every: dict[LoadMode, Annotated[Duration, between(Minute, 30 * Day)]] = Field(
        min_length=1, description="Least time from one to the next, by mode of the load; left out: not then."
    )
    what: Annotated[Text, Field(max_length=300)] = Field(
        default="", description="What is to be done; the roles that hive knows have a text of their own."
    )


def read_standing(
    document: Document, given: Mapping[str, StandingModel], *, roles: Collection[str]
) -> tuple[StandingDuty, ...]:
    """Return the duties. Raises `ConfigError` for a role that no agent has, and for one without a text."""
    for role, model in given.items():
        if role not in roles:
            near = nearest(role, list(roles))
            hint = f"did you mean '{near}'?" if near else f"there are {', '.join(sorted(roles)) or 'none'}"
            raise document.error(f"standing: no agent has the role '{role}'; {hint}", ("standing", role))
        if not (model.what or _WHAT.get(role)):
            raise document.error(f"standing.{role}: say under 'what' what is to be done", ("standing", role))
    return tuple(StandingDuty(role, model.what or _WHAT[role], model.every) for role, model in given.items())
