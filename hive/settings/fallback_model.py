"""What an agent falls back on, as `hive.yaml` has it."""

from __future__ import annotations

from pydantic import Field

from hive.documents.values import Text
from hive.settings.fields import Argument
from hive.settings.policies import Name, SettingsModel


class FallbackModel(SettingsModel):
    """What an agent runs on while what comes before it is limited or out of credit."""

    backend: Name = Field(description="Which agent program, by the name of its plug-in.")
    model: Name | None = Field(default=None, description="The model to ask the program for.")
    provider: Name | None = Field(
        default=None, description="Of `models`; left out: the one that is for its backend, if any."
    )
    account: Text = Field(
        default="", description="Whose limits it shares; left out: those of its provider or backend."
    )
    command: list[Argument] = Field(default=[], description="Replaces the backend's program and arguments.")
