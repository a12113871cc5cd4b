"""What the relay of models asks the supervisor: whose key is this, may it ask, and write that down.

Called from the gateway's own threads; implementations are thread-safe and never wait for a tick.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hive.facts.events import Event
from hive.facts.recorded import AgentEvent
from hive.facts.usage import Usage


@dataclass(frozen=True, slots=True)
class ModelCaller:
    """An agent that proved itself by its key.

    Attributes:
        provider: That it may ask; empty for none.
        account: Of the provider.
        model: That it is configured with; empty for its program's own.
        task, repo, issue: Of its open task; empty and None without one.
        cluster: Where the sandbox is whose token it showed; empty for an agent on this machine.
    """

    agent: str
    provider: str
    account: str = ""
    model: str = ""
    task: str = ""
    repo: str = ""
    issue: int | None = None
    cluster: str = ""


class ModelAuthority(Protocol):
    def identify(self, key: str) -> ModelCaller | None:
        """Whose key this is, compared in constant time; None for nobody's (revoked ones too)."""
        ...

    def rules_by_model(self) -> bool:
        """Whether `refusal` depends on the model that is asked for."""
        ...

    def refusal(self, caller: ModelCaller, unwritten: Sequence[AgentEvent] = ()) -> str | None:
        """Why nothing may be asked for this agent now, in words for it; None where it may.

        The caller's `model` is the one that the request names here; empty where that is not known yet.
        `unwritten` is what the journal may not have yet of answers before.
        """
        ...

    def spent(self, caller: ModelCaller, usage: Usage) -> AgentEvent:
        """What the journal is to have of an answer to this agent, with its price."""
        ...

    def record(self, events: Sequence[Event]) -> None:
        """Write to the journal, durably. Raises `JournalError`."""
        ...
