"""What hive asks of the agent, in hive's own words; scripted agents parse the block between its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from hive.decisions.foreign_text import one_line
from hive.facts.autonomy import Mode
from hive.facts.knowledge import KnowledgeFile

_TASK, _END = "--- task ---", "--- end task ---"
_MAX_VALUE = 300
"""Characters of one value; GitHub's longest title has 256."""

_PERMITS = {
    None: "What you may do, hive's gateway decides on each request; take a refusal as final.",
    Mode.ADVISORY: """\
Your mode is advisory: read, and report what you find or propose as findings. Push nothing, open nothing,
comment on nothing; hive's gateway refuses it.""",
    Mode.MEASURED: """\
Your mode is measured: read, report findings, file issues and comment. Push nothing and open no pull
request; hive's gateway refuses it.""",
    Mode.HOLDGATED: """\
Your mode is holdgated: push to the branch named in the task and open one pull request from it. Hive puts
a hold on it, which a person releases. Do not merge and do not touch the hold; hive's gateway refuses it.""",
    Mode.FULL: """\
Your mode is full: push to the branch named in the task and open one pull request from it. Do not merge;
hive merges it once its gate has nothing against it.""",
}


_OPEN_ALREADY = """\
Its pull request is open already: push to its branch, named in the task, and open no other. Do not merge and
do not touch a hold; hive's gateway refuses it."""

_REVIEWS_ONLY = """\
It is another agent's pull request: read it, and review it once, in the way that the task names. Push
nothing, open nothing, approve nothing and do not merge; hive's gateway refuses it."""

_PLACE = """\
The folder named in the task is a working copy for this task alone, with its branch checked out. Change to
it first and work there and nowhere else; do not clone the repository again. Commit what is to be kept: the
folder is removed once the task is over and everything in it is at the forge."""


class Part(StrEnum):
    """What the agent has to do with the pull request that its task is about."""

    NONE = "none"
    """There is none yet."""
    OWNER = "owner"
    REVIEWER = "reviewer"


_PARTS = {Part.OWNER: _OPEN_ALREADY, Part.REVIEWER: _REVIEWS_ONLY}


@dataclass(frozen=True, slots=True)
class RepositoryWords:
    """What the repository says to those who work on it, of which at most `max_chars` characters are told."""

    files: tuple[KnowledgeFile, ...] = ()
    max_chars: int = 0


NO_WORDS = RepositoryWords()


@dataclass(frozen=True, slots=True)
class TaskOrder:
    """Where and how a task is to be done; `None` where that is not known.

    Attributes:
        repository: ``OWNER/NAME``.
        branch: The only branch that the agent should push.
        clone: URL to clone from.
        folder: The task's working copy, where hive has made one.
        may, held, denied: What the autonomy table says of each action in this mode.
        notes: What there is to know of it.
        findings: How to report a finding.
    """

    repository: str | None = None
    branch: str | None = None
    base: str | None = None
    mode: Mode | None = None
    may: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    clone: str | None = None
    folder: str | None = None
    notes: tuple[str, ...] = ()
    findings: str | None = None
    words: RepositoryWords = NO_WORDS


def first_line(prompt_id: str, work: str, order: TaskOrder) -> str:
    where = f" of {_line(order.repository)}" if order.repository else ""
    return f"hive task {prompt_id}: {work}{where}"


def permissions(order: TaskOrder, *, part: Part = Part.NONE) -> str:
    """What the mode permits and where to work, in fixed words."""
    place = f"\n{_PLACE}" if order.folder else ""
    permits = f"Your mode is {order.mode}. {_PARTS[part]}" if part in _PARTS else _PERMITS[order.mode]
    return f"{permits}{place}"


def task_block(about: Iterable[tuple[str, str]], order: TaskOrder) -> str:
    """Keys and values that are known, one a line; nothing in it is foreign text. `about` stands for the
    issue or pull request."""
    return "\n".join([_TASK, *_entries(about, order), _END])


def _entries(about: Iterable[tuple[str, str]], order: TaskOrder) -> Iterator[str]:
    for key, value in (
        ("repository", order.repository),
        *about,
        ("branch", order.branch),
        ("base", order.base),
        ("mode", order.mode),
        ("may", ", ".join(order.may)),
        ("held for a person", ", ".join(order.held)),
        ("denied", ", ".join((*order.denied, "whatever is not named here")) if order.may else ""),
        ("clone", order.clone),
        ("folder", order.folder),
        ("notes", "; ".join(order.notes)),
        ("findings", order.findings),
    ):
        if value:
            yield f"{key}: {_line(value)}"


def _line(value: str) -> str:
    return one_line(value, _MAX_VALUE).text
