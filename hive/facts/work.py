"""Work: an issue that became a task, and who holds it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TaskKind(StrEnum):
    """What a task is about: an issue, a pull request that an agent opened and what it needs now (of that
    agent, or of another that looks through it), or neither: what a role does by itself."""

    ISSUE = "issue"
    FIX_CI = "fix-ci"
    ANSWER_REVIEW = "answer-review"
    REBASE = "rebase"
    REVIEW = "review"
    STANDING = "standing"


class TaskState(StrEnum):
    CLAIMED = "claimed"
    """An agent holds the issue; no prompt was sent."""
    PROMPTED = "prompted"
    """The prompt was typed; not yet proved to have arrived."""
    WORKING = "working"
    """The prompt has arrived."""
    FINISHED = "finished"
    RELEASED = "released"
    """Given back, for another try."""


@dataclass(frozen=True, slots=True)
class Task:
    """One attempt of one agent at one issue, or at what a pull request needs: a lease, owned by hive.

    Attributes:
        id: `task_id` of repository, issue and attempt: the same after a restart.
        issue: Its number, or that of the pull request: the forge counts both in one row. 0: neither.
        branch: The only branch that the agent should push for it.
        kind: All but `ISSUE` and `STANDING` are about a pull request.
        head: Of the pull request when the task was made; empty for an issue.
        items: What it is for, each by a key (see `decisions.rounds`); empty for an issue.
        closes: The issue that the pull request is for; 0 where there is none.
        snapshot: Digest of the title and body that were approved; empty for tasks of an older hive.
        prompt_id: What the prompt's first line carries; proof of arrival is looked for by it.
        conversation: In which the prompt was proved to have arrived, where the program tells.
        interrupted_at: When the turn of this prompt was interrupted, for it gave no sign of work.
        setbacks: How often its agent was hung in it, or ran out of context.
        turn: How the agent's turn ended, in the agent's own word; empty while it runs.
        outcome: ``pull-request``, ``finding``, ``asked``, ``refused``, ``failed``, ``quarantined`` or
            ``closed``; empty while it is open.
    """

    id: str
    repo: str
    issue: int
    agent: str
    branch: str
    attempt: int
    state: TaskState
    claimed_at: datetime
    snapshot: str = ""
    prompt_id: str = ""
    prompted_at: datetime | None = None
    conversation: str = ""
    interrupted_at: datetime | None = None
    setbacks: int = 0
    turn: str = ""
    outcome: str = ""
    detail: str = ""
    ended_at: datetime | None = None
    kind: TaskKind = TaskKind.ISSUE
    head: str = ""
    items: tuple[str, ...] = ()
    closes: int = 0

    @property
    def is_round(self) -> bool:
        """Whether it is about a pull request."""
        return self.kind not in (TaskKind.ISSUE, TaskKind.STANDING)

    @property
    def is_standing(self) -> bool:
        """Whether it is about no one issue; `items` has the role."""
        return self.kind is TaskKind.STANDING

    @property
    def about_issue(self) -> int:
        """The issue that the work is for; 0 for none."""
        return self.closes if self.is_round else self.issue

    @property
    def is_open(self) -> bool:
        return self.state not in (TaskState.FINISHED, TaskState.RELEASED)


def task_id(repo: str, issue: int, attempt: int) -> str:
    """Same issue and attempt, same id: a restart cannot make a second task out of one."""
    digest = hashlib.sha256(f"{repo.lower()}#{issue}/{attempt}".encode()).hexdigest()[:10]
    return f"t{issue}-{attempt}-{digest}"


def of_start(prompt_id: str) -> str:
    """A prompt's id without the number of its waking: ``t7-1-ab/2`` of ``t7-1-ab/2+1``."""
    return prompt_id.partition("+")[0]


def branch_name(agent: str, issue: int, title: str) -> str:
    """The agent's branch for an issue; safe for git whatever the title says."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-")
    return f"hive/{agent}/{issue}-{slug}" if slug else f"hive/{agent}/{issue}"
