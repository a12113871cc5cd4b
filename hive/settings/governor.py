"""The section `governor`: how the load sets the pace."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import Field

from hive.decisions.governor_policy import GovernorPolicy, Weights
from hive.documents import Document
from hive.documents.values import Duration, Number, Text, Whole
from hive.facts.governor import LoadMode
from hive.settings.configured import require_configured
from hive.settings.fields import Day, Repository, Second, between
from hive.settings.policies import SettingsModel

_Weight = Annotated[Number, Field(ge=0, le=1_000_000)]
_Pace = Annotated[Duration, between(0 * Second, Day)]
"""At most a day: a longer one would be a mode in which a role never works."""


class ThresholdsModel(SettingsModel):
    """Pressure from which a mode holds."""

    quiet: _Weight = Field(default=1.0, description="More than nothing waits.")
    busy: _Weight = Field(default=10.0, description="Much waits.")
    surge: _Weight = Field(default=20.0, description="Too much waits.")


class WeightsModel(SettingsModel):
    """What one of each adds to the pressure."""

    issue: _Weight = Field(default=1.0, description="An eligible issue that nobody is at.")
    pull: _Weight = Field(default=2.0, description="An agent's pull request that waits for an agent.")
    red: _Weight = Field(default=3.0, description="An agent's pull request with a failed check.")
    breach: _Weight = Field(default=5.0, description="An issue over its SLA, besides its own weight.")


class GovernorModel(SettingsModel):
    """How the load sets the pace."""

    thresholds: ThresholdsModel = Field(default_factory=ThresholdsModel, description="Where modes begin.")
    weights: WeightsModel = Field(default_factory=WeightsModel, description="What counts how much.")
    margin: Annotated[Number, Field(ge=0, lt=1)] = Field(
        default=0.2, description="A mode is left only when the pressure is this share below its threshold."
    )
    dwell: Annotated[Duration, between(0 * Second, Day)] = Field(
        default="5m",
        validate_default=True,
        description="How long a mode lasts; surge begins at once.",
    )
    slots: dict[LoadMode, Annotated[Whole, Field(ge=1, le=10_000)]] = Field(
        default={}, description="Tasks at once, by mode; left out: as many as there are agents."
    )
    cadence: dict[Text, dict[LoadMode, _Pace]] = Field(
        default={}, description="Least time between two tasks of a role: role, mode, duration."
    )
    sla: dict[Text, Annotated[Duration, between(Second, 365 * Day)]] = Field(
        default={}, description="How old an eligible issue may become, by lane; 'default' for the others."
    )
    shares: dict[Repository, Annotated[Number, Field(gt=0, le=1000)]] = Field(
        default={}, description="A repository's share of the slots, against 1 of the others."
    )


def read_governor(
    document: Document,
    model: GovernorModel,
    *,
    lanes: Collection[str],
    roles: Collection[str],
    repositories: Collection[str],
) -> GovernorPolicy:
    """Return the policy. Raises `ConfigError` for thresholds out of order and for unknown names."""
    limits = model.thresholds
    if not 0 < limits.quiet <= limits.busy <= limits.surge:
        raise document.error(
            "governor.thresholds: they have to grow: 0 < quiet <= busy <= surge", ("governor", "thresholds")
        )
    require_configured(document, ("governor", "cadence"), model.cadence.keys(), roles)
    require_configured(document, ("governor", "sla"), (one for one in model.sla if one != "default"), lanes)
    require_configured(document, ("governor", "shares"), model.shares.keys(), repositories)
    return GovernorPolicy(
        thresholds={
            LoadMode.QUIET: limits.quiet,
            LoadMode.BUSY: limits.busy,
            LoadMode.SURGE: limits.surge,
        },
        margin=model.margin,
        dwell=model.dwell,
        weights=Weights(**dict(model.weights)),
        slots=model.slots,
        cadence=model.cadence,
        sla={"" if lane == "default" else lane: limit for lane, limit in model.sla.items()},
        shares={repo.casefold(): share for repo, share in model.shares.items()},
    )
