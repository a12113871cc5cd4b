"""The section `standing` of ``hive.yaml``: work that is about no one issue, by role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from hive.facts.governor import LoadMode


@dataclass(frozen=True, slots=True)
class StandingDuty:
    """What agents of a role do by themselves, in each of their repositories.

    Attributes:
        every: By mode of the load, the least time from one beginning to the next; in a mode that is not in
            it nothing is begun.
        what: What is to be done, in the operator's words.
    """

    role: str
    what: str
    every: Mapping[LoadMode, timedelta] = field(default_factory=dict)
