"""What the stand-in remembers, one class for each table.

Every record has an `id` of its own table's kind and is written as JSON; ids of accounts stand for people.
Times are strings as GitHub writes them (UTC, whole seconds).
"""

from dataclasses import dataclass, field
from typing import TypedDict


class Applied(TypedDict):
    """A label on an issue: which, who put it there (an account's id) and when."""

    label: int
    by: int | None
    at: str


@dataclass(slots=True)
class Account:
    """A person, an organization, or a program (`bot`, `app`); programs' logins end in `[bot]`."""

    id: int
    login: str
    kind: str
    token: str | None = None
    associations: dict[str, str] = field(default_factory=dict)
    """By `owner/name`, or `*` for every repository: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR, NONE."""
    permissions: dict[str, str] = field(default_factory=dict)
    """By `owner/name` or `*`: admin, maintain, write, triage, read, none."""
    name: str | None = None
    created_at: str = "2020-01-01T00:00:00Z"
    scopes: list[str] | None = field(default_factory=lambda: ["gist", "read:org", "repo", "workflow"])
    """Of a classic personal token; None is a fine-grained one, which has no such thing."""
    granted: dict[str, str] | None = None
    """What an App's token may do, by permission: on the account as it acts by that token, never kept."""
    installation: int | None = None
    """The installation whose token is used; as `granted`."""


@dataclass(slots=True)
class Repository:
    """A repository, whose commits are in the bare repository of the same `owner/name`."""

    id: int
    owner: int
    full_name: str
    default_branch: str
    created_at: str
    pushed_at: str
    description: str | None = None
    private: bool = False
    next_number: int = 1
    delete_branch_on_merge: bool = False
    merge_methods: list[str] = field(default_factory=lambda: ["merge", "squash", "rebase"])
    allow_auto_merge: bool = False
    allow_update_branch: bool = False
    archived: bool = False
    parent: int | None = None
    """The repository that it was forked from."""
    issue_types: list[str] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    """Branch heads as last taken into account; a difference to git's is a push not yet acted on."""

    @property
    def name(self) -> str:
        """The part after the slash."""
        return self.full_name.split("/", 1)[1]


@dataclass(slots=True)
class Label:
    """A label that a repository has."""

    id: int
    repo: int
    name: str
    color: str = "ededed"
    description: str | None = None
    default: bool = False


@dataclass(slots=True)
class Issue:
    """An issue, or the part of a pull request that is one."""

    id: int
    repo: int
    number: int
    title: str
    body: str | None
    author: int | None
    created_at: str
    updated_at: str
    association: str | None = None
    """The author's, where it was given by a seed; else it follows from the account."""
    state: str = "open"
    state_reason: str | None = None
    closed_at: str | None = None
    closed_by: int | None = None
    locked: bool = False
    labels: list[Applied] = field(default_factory=list)
    assignees: list[int] = field(default_factory=list)
    title_edited_at: str | None = None
    edited_at: str | None = None
    edited_by: int | None = None
    is_pull: bool = False
    lock_reason: str | None = None
    milestone: int | None = None
    kind: str | None = None
    """Its issue type."""
    blocked_by: list[int] = field(default_factory=list)
    """The ids of the issues that have to be closed first."""
    parent: int | None = None
    """The id of the issue that it is a part of."""
    moved_to: str | None = None
    """`owner/name#number` where it was transferred to."""


@dataclass(slots=True)
class Pull:
    """What a pull request has beyond its issue."""

    id: int
    repo: int
    number: int
    base: str
    head: str
    head_sha: str
    base_sha: str
    pushed_at: str
    draft: bool = False
    merged_at: str | None = None
    merged_by: int | None = None
    merge_commit: str | None = None
    merging: str | None = None
    """The commit that a merge is about to put on the base; found there after a crash, the merge happened."""
    maintainer_can_modify: bool = False
    reviewers: list[int] = field(default_factory=list)
    teams: list[int] = field(default_factory=list)
    pushed_by: int | None = None
    """Who pushed the present head."""
    head_repo: int | None = None
    """The fork that the head is in; None for the repository itself."""
    auto_merge: dict[str, str | int | None] | None = None
    """Who switched it on, when, and how to merge: `by`, `at`, `method`, `title`, `message`."""


@dataclass(slots=True)
class Comment:
    """A comment in the conversation of an issue or a pull request."""

    id: int
    repo: int
    number: int
    author: int | None
    body: str
    created_at: str
    updated_at: str
    association: str | None = None
    edited_at: str | None = None
    edited_by: int | None = None


@dataclass(slots=True)
class Review:
    """A submitted review; `state` is GitHub's: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED."""

    id: int
    repo: int
    number: int
    author: int
    state: str
    body: str
    commit: str
    submitted_at: str


@dataclass(slots=True)
class CheckRun:
    """A check run on a commit; `suite` groups the runs of one app and commit."""

    id: int
    repo: int
    head_sha: str
    name: str
    app: str
    suite: int
    status: str
    conclusion: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    details_url: str | None = None
    external_id: str = ""
    workflow: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    pull: int | None = None
    """The pull request whose merge result is checked, for runs of the stand-in's own check command."""


@dataclass(slots=True)
class Status:
    """A commit status; the newest of a context counts."""

    id: int
    repo: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    creator: int
    created_at: str


@dataclass(slots=True)
class Event:
    """Something that happened to an issue or pull request: `labeled`, `closed`, `merged`, `renamed`…"""

    id: int
    repo: int
    number: int
    kind: str
    actor: int | None
    at: str
    data: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Write:
    """One entry of the audit: who changed what, and when."""

    id: int
    at: str
    actor: str
    what: str
    subject: str
    detail: str = ""
