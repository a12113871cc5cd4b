"""Issues and pull requests as the forge tells them.

`None` in a pull request's field means *not known*, and what is not known never merges.
Enumerations that GitHub defines keep GitHub's spelling in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hive.facts.activity import Activity
from hive.facts.actors import Actor
from hive.facts.bases import NO_RULES, BaseRules, QueueEntry
from hive.facts.knowledge import KnowledgeFile
from hive.facts.pull_details import PullDetails


@dataclass(frozen=True, slots=True)
class Label:
    """A label on an issue or pull request; who put it on and when, where that is known."""

    name: str
    by: Actor | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    by: Actor | None
    at: datetime | None
    body: str
    edited_at: datetime | None = None
    edited_by: Actor | None = None
    """Who made the last edit, where that is known."""


@dataclass(frozen=True, slots=True)
class PullRequestRef:
    """A pull request that claims an issue. `state` is open, closed or merged; `how` it claims it, where the
    forge does not link the two."""

    number: int
    state: str
    by: Actor | None = None
    how: str = ""


@dataclass(frozen=True, slots=True)
class Issue:
    """An open issue with what triage and prompts need.

    Attributes:
        title_edited_at, edited_at: Last edit of title and body; `None` when never edited.
        title_edited_by, edited_by: Who made it, where that is known.
        blocked_by: Numbers of issues of the same repository.
        pull_requests: Those that say they close it, by anyone.
    """

    number: int
    title: str = ""
    body: str = ""
    repo: str = ""
    author: Actor | None = None
    created_at: datetime | None = None
    title_edited_at: datetime | None = None
    edited_at: datetime | None = None
    title_edited_by: Actor | None = None
    edited_by: Actor | None = None
    labels: tuple[Label, ...] = ()
    comments: tuple[Comment, ...] = ()
    assignees: tuple[Actor, ...] = ()
    blocked_by: tuple[int, ...] = ()
    pull_requests: tuple[PullRequestRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One check run or commit status.

    Attributes:
        id: GitHub's; the highest of one (app, workflow, name) is the newest.
        source: ``check`` or ``status``.
        head: The commit that it ran on.
        status: queued, in_progress, completed, ...; everything but completed is pending.
        conclusion: success, failure, neutral, cancelled, skipped, timed_out, action_required,
            startup_failure, stale, or `None` while pending.
        app, app_id: The app that reported it, by slug and by number.
    """

    id: int
    name: str
    source: str
    head: str
    status: str
    conclusion: str | None = None
    app: str | None = None
    workflow: str | None = None
    completed_at: datetime | None = None
    app_id: int | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """`state`: approved, changes_requested, commented, dismissed or pending; `head` is what was reviewed."""

    by: Actor | None
    state: str
    head: str | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class LinkedIssue:
    number: int
    state: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """`previous` is the old name of a renamed file, `mode` git's (``120000`` is a symbolic link)."""

    path: str
    previous: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PullRequest:
    """A pull request with everything that the merge gate judges.

    Attributes:
        head: The commit at the tip (40 hex digits on the wire); `head_ref` is its branch.
        pushed_at: When `head` arrived (UTC, GitHub's clock, one-second resolution).
        pushers: Logins of all who pushed to it.
        checks: Every run, newest or not, of any head.
        checks_total, changed_files: What the forge counts; a difference means that something was not read.
        rules: Of the base; there are none where nobody told of any.
        base_tip: The commit at the base's tip; empty where nobody told.
        base_checks: Every run on `base_tip`.
        behind: By how many commits of the base; `None`: not known.
        review_decision: The forge's own word on the reviews (approved, review_required,
            changes_requested), which knows code owners; empty where no review is required.
        queued: Its place in the merge queue of its base.
        dequeued: Why it was last taken out of that queue, in GitHub's word.
        merge_commit: What is on the base, once it is merged.
    """

    number: int
    draft: bool | None
    author: Actor | None
    pushers: tuple[str, ...] | None
    base: str | None
    head: str | None
    mergeable: bool | None
    pushed_at: datetime | None
    labels: tuple[Label, ...] | None
    checks: tuple[Check, ...] | None
    reviews: tuple[Review, ...] | None
    unresolved_threads: int | None
    linked_issues: tuple[LinkedIssue, ...] | None
    files: tuple[ChangedFile, ...] | None
    checks_total: int | None = None
    changed_files: int | None = None
    repo: str = ""
    title: str = ""
    body: str = ""
    url: str = ""
    state: str = "open"
    head_ref: str = ""
    head_repo: str | None = None
    rules: BaseRules | None = NO_RULES
    base_tip: str = ""
    base_checks: tuple[Check, ...] | None = ()
    behind: int | None = None
    review_decision: str = ""
    queued: QueueEntry | None = None
    dequeued: str = ""
    merge_commit: str = ""


@dataclass(frozen=True, slots=True)
class CommitSighting:
    """A commit, and every run on it."""

    sha: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class RepositorySnapshot:
    """One look at one repository: all open issues and pull requests, and recently merged or closed ones.

    Attributes:
        recent: Pull requests no longer open that the look still saw (for claims and merge outcomes).
        requests: How many requests the look took, for the quota's arithmetic.
        activity: What was done there lately; `None` where that was not asked for.
        details: Of pull requests of which they were asked for, by number.
        commits: What was asked for besides, by branch or SHA; what could not be read is not in it.
        knowledge: What the default branch has for those who work on it, where that was asked for.
    """

    repo: str
    default_branch: str
    issues: tuple[Issue, ...]
    pull_requests: tuple[PullRequest, ...]
    recent: tuple[PullRequest, ...] = ()
    requests: int = 0
    activity: Activity | None = None
    details: Mapping[int, PullDetails] = field(default_factory=dict)
    commits: Mapping[str, CommitSighting] = field(default_factory=dict)
    knowledge: tuple[KnowledgeFile, ...] = ()
