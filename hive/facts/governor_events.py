"""What the journal has of the governor."""

from __future__ import annotations

from hive.facts.governor import LoadMode
from hive.facts.recorded import RecordedEvent


class LoadModeChanged(RecordedEvent, tag="load-mode-changed", frozen=True, kw_only=True):
    """`pressure` is the weighted sum of what waits, `why` its parts in one line."""

    mode: LoadMode
    pressure: float
    why: str
