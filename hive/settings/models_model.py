"""`models` in hive.yaml: the providers whose keys hive holds."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from hive.documents.values import Text
from hive.facts.models import Dialect
from hive.settings.fields import Url
from hive.settings.policies import Name, SettingsModel


def _provider_name(value: str) -> str:
    if re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?", value) is None:
        raise ValueError(f"'{value}' cannot name a provider; lower case letters, digits and inner hyphens")
    return value


ProviderName = Annotated[
    str, AfterValidator(_provider_name), Field(json_schema_extra={"pattern": "^[a-z0-9-]+$"})
]


class ModelProviderModel(SettingsModel):
    """One account at a model provider."""

    dialect: Dialect = Field(description="Which API it speaks.")
    base_url: Url | None = Field(
        default=None,
        description="As the provider's own libraries take it (OpenAI's ends in /v1); left out: the maker's.",
    )
    key: Text | None = Field(default=None, description="The API key; write ${ANTHROPIC_API_KEY}, say.")
    key_file: Text | None = Field(
        default=None, description="A file (0600) with the key, read anew whenever it is needed."
    )
    account: Name | None = Field(
        default=None, description="Providers with one quota have one word here; left out: the name."
    )
    backends: list[Name] | None = Field(
        default=None,
        description="Whose agents it is for; left out: all that speak the dialect; []: those that name it.",
    )
