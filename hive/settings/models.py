"""A model provider whose key hive holds, so that no agent does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hive.facts.models import Dialect
from hive.settings.github import read_token
from hive.settings.secret import Secret


@dataclass(frozen=True, slots=True)
class ModelProvider:
    """Attributes:
    base_url: As the provider's own libraries take it (OpenAI's with ``/v1``), without a slash at its end.
    key: As it was when the configuration was loaded; `None` where it is in `key_file`.
    account: What shares one quota with others of the same word.
    backends: Whose agents it is for.
    """

    name: str
    dialect: Dialect
    base_url: str
    key: Secret | None
    key_file: Path | None
    account: str
    backends: tuple[str, ...]

    def credential(self) -> str:
        """The key, now: a file is read anew, so that it can be replaced.

        Raises `ConfigError` when the file cannot be read, is empty or is open to others.
        """
        if self.key is not None:
            return self.key.reveal()
        assert self.key_file is not None
        return read_token(self.key_file)
