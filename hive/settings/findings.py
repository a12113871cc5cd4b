"""The section `findings`: when issues are made of what agents found."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import Field

from hive.decisions.findings_policy import FindingsPolicy
from hive.documents import Document
from hive.documents.values import Duration, Flag, Whole
from hive.settings.configured import require_configured
from hive.settings.fields import Day, Minute, Repository, between
from hive.settings.policies import Name, SettingsModel


class FindingsModel(SettingsModel):
    """When issues are made of what agents found."""

    promote: Flag = Field(
        default=True,
        description="By themselves, where the level lets the agent file issues.",
    )
    labels: list[Name] = Field(default=[], description="Labels that such an issue gets.")
    per_day: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=5, description="Most issues that hive files by itself in a day, by repository."
    )
    most_open: Annotated[Whole, Field(ge=1, le=10_000)] = Field(
        default=20, description="With so many of them open, hive files none by itself."
    )
    per_task: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        default=20, description="Most new findings that one task may give."
    )
    tracking: list[Repository] = Field(
        default=[], description="Repositories that get one issue which lists what is open."
    )
    tracking_every: Annotated[Duration, between(Minute, Day)] = Field(
        default="10m", validate_default=True, description="Least time between two changes of that issue."
    )


def read_findings(
    document: Document, model: FindingsModel, *, repositories: Collection[str]
) -> FindingsPolicy:
    """Return the policy. Raises `ConfigError` for a repository that is not configured."""
    require_configured(document, ("findings", "tracking"), model.tracking, repositories)
    return FindingsPolicy(
        promote=model.promote,
        labels=tuple(model.labels),
        per_day=model.per_day,
        most_open=model.most_open,
        tracking=frozenset(name.casefold() for name in model.tracking),
        tracking_every=model.tracking_every,
        per_task=model.per_task,
    )
