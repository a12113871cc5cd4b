"""The section `claims`: how several hives share one repository."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from hive.decisions.durations import spell
from hive.decisions.lease_policy import LeasePolicy
from hive.documents import Document
from hive.documents.values import Duration, Text
from hive.settings.fields import Day, Minute, between
from hive.settings.policies import SettingsModel

_Name = Annotated[Text, Field(min_length=1, max_length=20, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
_Prefix = Annotated[Text, Field(min_length=1, max_length=29, pattern=r"^[^,\n]*[^,\s]$")]


class ClaimsModel(SettingsModel):
    """How hives that share a repository tell each other what they work on."""

    name: _Name = Field(description="Of this hive; every hive of a repository needs one of its own.")
    prefix: _Prefix = Field(
        default="hive:", description="How the labels of all of them begin; this hive's is prefix and name."
    )
    expires: Annotated[Duration, between(Minute, 30 * Day)] = Field(
        default="6h", validate_default=True, description="After so long another hive's label counts no more."
    )


def read_claims(document: Document, model: ClaimsModel | None, deadline: timedelta) -> LeasePolicy | None:
    """Return the policy. Raises `ConfigError` for a lease that ends before a task may."""
    if model is None:
        return None
    if model.expires < 2 * deadline:
        said = f"expires ({spell(model.expires)}) is less than twice lifecycle.deadline ({spell(deadline)})"
        raise document.error(f"claims: {said}; others would take what is worked on", ("claims", "expires"))
    return LeasePolicy(model.prefix, model.name, model.expires)
