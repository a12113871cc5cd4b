"""What a pull request's agent has to know before it goes on: why checks failed, and what reviewers said.

All of it is foreign text: it is told to an agent fenced, bounded and without secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hive.facts.actors import Actor

LOG_LINES = 200
"""The most lines of one failed job's log that are read."""


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """A failed check of a head.

    Attributes:
        id: Of the check run.
        step: The step of the job that failed; empty where the forge does not tell.
        lines: The last lines of its log up to the failure, or what the check itself reported.
    """

    id: int
    check: str
    conclusion: str
    step: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadComment:
    """One comment of a review thread; `id` is the number by which it can be replied to."""

    id: int
    by: Actor | None
    at: datetime | None
    body: str


@dataclass(frozen=True, slots=True)
class ReviewThread:
    """A conversation about lines of a pull request, oldest comment first.

    Attributes:
        line: In the new file; None for the file as a whole, or where the line is gone.
        is_outdated: The lines were changed since.
    """

    path: str
    line: int | None
    is_resolved: bool
    is_outdated: bool
    comments: tuple[ThreadComment, ...]


@dataclass(frozen=True, slots=True)
class ReviewText:
    """A review with its words. `state` and `head` are as in `facts.forge.Review`."""

    by: Actor | None
    state: str
    head: str | None
    at: datetime | None
    body: str


@dataclass(frozen=True, slots=True)
class PullDetails:
    """What was read of one pull request at `head`.

    Attributes:
        is_whole: Every thread and comment was read.
    """

    number: int
    head: str
    failures: tuple[CheckFailure, ...] = ()
    threads: tuple[ReviewThread, ...] = ()
    reviews: tuple[ReviewText, ...] = ()
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class DetailsWanted:
    """Of which pull request details are to be read. `failed`: numbers of its failed check runs."""

    number: int
    head: str
    failed: tuple[int, ...] = ()
    talks: bool = False
    """Whether its reviews and threads are wanted."""
