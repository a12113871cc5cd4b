"""What all guardrails here are: a name, a model of settings, and a function that judges by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Generic, Literal, TypeVar

from pydantic import ConfigDict, Field

from hive.contracts.guardrail import Proposal
from hive.documents.models import StrictModel
from hive.documents.values import Whole
from hive.facts.autonomy import Action
from hive.facts.verdicts import Ruling, Verdict


class Settings(StrictModel):
    """Base of their settings: each has a default, so that a guardrail can be switched on as it is."""

    model_config = ConfigDict(defer_build=True)


Tightened = Literal["hold", "deny"]
"""What a guardrail may make of what the autonomy level allows: put to a person, or refused."""
Count = Annotated[Whole, Field(ge=1, le=10_000_000)]

QUIET_ACTIONS = frozenset({Action.READ, Action.RECORD_FINDING})
"""What nobody but hive's operator sees."""

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Rule(Generic[S]):
    """A guardrail (`hive.contracts.guardrail.Configurable`).

    Attributes:
        judge: Says with the settings why a proposal is not let through, and what to do instead; None
            where it has nothing to say.
        given: The settings in force; None for the defaults.
    """

    name: str
    settings: type[S]
    is_on: bool
    judge: Callable[[Proposal, S], tuple[Tightened, str] | None]
    given: S | None = None

    def __call__(self, proposal: Proposal) -> Verdict | None:
        found = self.judge(proposal, self.given if self.given is not None else self.settings())
        if found is None:
            return None
        ruling, because = found
        return Verdict(Ruling(ruling), f"guardrail.{self.name}", because)

    def configured(self, settings: S) -> Rule[S]:
        return replace(self, given=settings)


def listed(names: list[str], most: int = 3) -> str:
    """Names for a person, each bounded, in one line."""
    shown = ", ".join(" ".join(name.split())[:80] for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
