"""Fields by name, and what stands for an object that is no record."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo

from hive.standins.github import access, grants, records
from hive.standins.github.gitrepo import Commit as GitCommit
from hive.standins.github.records_access import Team
from hive.standins.github.records_queue import QueueEntry
from hive.standins.github.records_reviews import LineComment, Thread
from hive.standins.github.records_rules import Protection, Ruleset
from hive.standins.github.rest.call import View

Resolver = Callable[..., Any]

_FIELDS: dict[str, Resolver] = {}


def fields(*names: str) -> Callable[[Resolver], Resolver]:
    """Register the decorated function for `Type.field`s: it gets the object, the view and the arguments."""

    def register(resolver: Resolver) -> Resolver:
        for name in names:
            _FIELDS[name] = resolver
        return resolver

    return register


def simple(types: str, **resolvers: Callable[[Any, View], Any]) -> None:
    """Register fields without arguments, for every one of the types."""
    for owner in types.split():
        for name, resolver in resolvers.items():
            _FIELDS[f"{owner}.{name}"] = resolver


def resolve(source: Any, info: GraphQLResolveInfo[View], **arguments: Any) -> Any:
    """The resolver of every field that has a registered function, a value of its own, or neither."""
    name = f"{info.parent_type.name}.{info.field_name}"
    resolver = _FIELDS.get(name)
    if info.parent_type.name == "Mutation":
        grants.check_mutation(access.signed_in(info.context.viewer), info.field_name)
    if resolver is not None:
        return resolver(source, info.context, **arguments)
    if isinstance(source, dict) and info.field_name in source:
        return source[info.field_name]
    if isinstance(source, Connection | Edge) and hasattr(source, _snake(info.field_name)):
        return getattr(source, _snake(info.field_name))
    raise GraphQLError(f"the stand-in does not serve {name}", extensions={"type": "NOT_SERVED"})


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


@dataclass(frozen=True, slots=True)
class Edge:
    """One entry of a connection."""

    cursor: str
    node: Any


@dataclass(frozen=True, slots=True)
class Connection:
    """A page of a list, in Relay's shape."""

    edges: Sequence[Edge]
    page_info: dict[str, Any]
    total_count: int

    @property
    def nodes(self) -> list[Any]:
        """The page's objects."""
        return [edge.node for edge in self.edges]


def connect(
    items: Sequence[Any],
    first: int | None = None,
    last: int | None = None,
    after: str | None = None,
    before: str | None = None,
    **_: Any,
) -> Connection:
    """The page that the arguments ask for; 100 at most, as GitHub has it."""
    for name, asked in (("first", first), ("last", last)):
        if asked is not None and not 0 <= asked <= 100:
            raise GraphQLError(
                f"Requesting {asked} records on the connection exceeds the `{name}` limit of 100 records.",
                extensions={"type": "EXCESSIVE_PAGINATION"},
            )
    start = _position(after) if after else 0
    end = min(len(items), _position(before) - 1 if before else len(items))
    if first is not None:
        end = min(end, start + first)
    if last is not None:
        start = max(start, end - last)
    edges = [Edge(_cursor(position + 1), items[position]) for position in range(start, end)]
    page = {
        "hasNextPage": end < len(items),
        "hasPreviousPage": start > 0,
        "startCursor": edges[0].cursor if edges else None,
        "endCursor": edges[-1].cursor if edges else None,
    }
    return Connection(edges, page, len(items))


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("cursor:"))
    except (binascii.Error, ValueError) as error:
        message = f"`{cursor}` does not appear to be a valid cursor."
        raise GraphQLError(message, extensions={"type": "INVALID_CURSOR_ARGUMENTS"}) from error


@dataclass(frozen=True, slots=True)
class RepoCommit:
    """A commit of a repository."""

    repo: records.Repository
    commit: GitCommit


@dataclass(frozen=True, slots=True)
class PullCommit:
    """A commit as part of a pull request."""

    pull: records.Pull
    commit: RepoCommit


@dataclass(frozen=True, slots=True)
class Branch:
    """A ref; `name` without `refs/heads/`."""

    repo: records.Repository
    name: str
    sha: str


@dataclass(frozen=True, slots=True)
class Rollup:
    """What all checks of a commit add up to."""

    repo: records.Repository
    sha: str


@dataclass(frozen=True, slots=True)
class Suite:
    """The suite that a check run belongs to."""

    run: records.CheckRun


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """The workflow run that a check run is a job of."""

    run: records.CheckRun


@dataclass(frozen=True, slots=True)
class Requested:
    """A reviewer who was asked."""

    pull: records.Pull
    of: records.Account | Team | None


@dataclass(frozen=True, slots=True)
class Queue:
    """The merge queue of a branch."""

    repo: records.Repository
    base: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a ruleset, by its place there."""

    ruleset: Ruleset
    position: int

    @property
    def rule(self) -> dict[str, Any]:
        """The rule as REST has it."""
        return self.ruleset.rules[self.position]


_TYPES: dict[type, str] = {
    records.Repository: "Repository",
    records.Issue: "Issue",
    records.Pull: "PullRequest",
    records.Comment: "IssueComment",
    records.Review: "PullRequestReview",
    records.Label: "Label",
    records.CheckRun: "CheckRun",
    Thread: "PullRequestReviewThread",
    LineComment: "PullRequestReviewComment",
    Protection: "BranchProtectionRule",
    Ruleset: "RepositoryRuleset",
    Team: "Team",
    QueueEntry: "MergeQueueEntry",
    records.Status: "StatusContext",
    RepoCommit: "Commit",
    PullCommit: "PullRequestCommit",
    Branch: "Ref",
    WorkflowRun: "WorkflowRun",
}
_ACCOUNT_TYPES = {"organization": "Organization", "bot": "Bot", "app": "Bot", "person": "User"}
_EVENT_TYPES = {
    "labeled": "LabeledEvent",
    "unlabeled": "UnlabeledEvent",
    "closed": "ClosedEvent",
    "reopened": "ReopenedEvent",
    "merged": "MergedEvent",
    "renamed": "RenamedTitleEvent",
    "assigned": "AssignedEvent",
    "unassigned": "UnassignedEvent",
    "review_dismissed": "ReviewDismissedEvent",
    "review_request_removed": "ReviewRequestRemovedEvent",
    "head_ref_deleted": "HeadRefDeletedEvent",
    "base_ref_changed": "BaseRefChangedEvent",
    "auto_merge_enabled": "AutoMergeEnabledEvent",
    "auto_merge_disabled": "AutoMergeDisabledEvent",
    "added_to_merge_queue": "AddedToMergeQueueEvent",
    "removed_from_merge_queue": "RemovedFromMergeQueueEvent",
    "locked": "LockedEvent",
    "unlocked": "UnlockedEvent",
    "head_ref_force_pushed": "HeadRefForcePushedEvent",
    "ready_for_review": "ReadyForReviewEvent",
    "converted_to_draft": "ConvertToDraftEvent",
    "review_requested": "ReviewRequestedEvent",
}


def type_name(source: Any, *_: Any) -> str:
    """The GraphQL type of an object; of an event that is not served, an empty text."""
    if isinstance(source, records.Account):
        return _ACCOUNT_TYPES[source.kind]
    if isinstance(source, records.Event):
        return _EVENT_TYPES.get(source.kind, "")
    if isinstance(source, dict):
        return str(source["__typename"])
    return _TYPES[type(source)]
