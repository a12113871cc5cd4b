"""A ruling on something that somebody wants to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Ruling(StrEnum):
    """ALLOW < HOLD < DENY; the strictest of several wins."""

    ALLOW = "allow"
    HOLD = "hold"
    DENY = "deny"

    @property
    def strictness(self) -> int:
        return list(Ruling).index(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A ruling with its reason.

    Attributes:
        rule: Which rule decided, as a stable identifier (``acmm.holdgated.open-pr``, ``guardrail.secrets``).
        because: One sentence for a person.
    """

    ruling: Ruling
    rule: str
    because: str


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the strictest verdict; of equals the first. Raises `ValueError` for none."""
    return max(verdicts, key=lambda verdict: verdict.ruling.strictness)
