"""What was done in a repository lately, as far as hive has to answer for it, or is told something by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hive.facts.actors import Actor
from hive.facts.incidents import Act


@dataclass(frozen=True, slots=True)
class Told:
    """What somebody told hive on the forge. Nothing is said yet of whether that one may.

    Attributes:
        key: The same at each look.
        by: With the association to the repository, where it is known.
        number: Of the issue or pull request.
        text: Of a comment; empty for the label that approves.
        edited: Whether it is no longer what was written at `at`.
    """

    key: str
    by: Actor | None
    at: datetime
    number: int
    text: str = ""
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Activity:
    """Attributes:
    acts: Of hive's own account.
    told: Comments that speak to hive, and labelings with the label that approves; of anybody else.
    """

    acts: tuple[Act, ...] = ()
    told: tuple[Told, ...] = ()
