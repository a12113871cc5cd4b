"""How hard the hive works, as it was last decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LoadMode(StrEnum):
    """By how much waits; each mode may have its own number of tasks at once and its own cadence."""

    IDLE = "idle"
    QUIET = "quiet"
    BUSY = "busy"
    SURGE = "surge"

    @property
    def rank(self) -> int:
        return list(LoadMode).index(self)


@dataclass(frozen=True, slots=True)
class GovernorMemory:
    """The mode as the journal has it; `since` is when it was entered."""

    mode: LoadMode
    since: datetime
    pressure: float
    why: str
