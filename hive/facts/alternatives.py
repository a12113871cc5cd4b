"""What an agent may run on: its own program and account, and what it falls back on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alternative:
    """A program, its model and whose account it uses; see `facts.agents.AgentSpec` for each."""

    backend: str
    model: str | None = None
    provider: str = ""
    account: str = ""
    command: tuple[str, ...] = ()

    @property
    def shares(self) -> str:
        """The account whose limits it shares: its own word, or its provider's or its backend's name."""
        return self.account or self.provider or self.backend

    @property
    def label(self) -> str:
        """For a person: ``claude``, ``claude (haiku)``, ``claude (haiku, by anthropic)``."""
        more = [*([self.model] if self.model else []), *([f"by {self.provider}"] if self.provider else [])]
        return f"{self.backend} ({', '.join(more)})" if more else self.backend
