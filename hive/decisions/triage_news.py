"""When the triage of an issue is worth a record."""

from __future__ import annotations

from typing import Protocol


class Answer(Protocol):
    """What triage says of an issue, fresh or as it was recorded."""

    @property
    def eligible(self) -> bool: ...

    @property
    def lane(self) -> str | None: ...

    @property
    def because(self) -> str: ...


def triage_answer(answer: Answer) -> str:
    """What of a triage answer counts as a change: not the rank, which moves with the queue."""
    return f"{'yes' if answer.eligible else 'no'}|{answer.lane or ''}|{answer.because}"
