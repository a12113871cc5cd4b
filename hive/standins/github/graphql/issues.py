"""Issues, what they share with pull requests, and their comments and events."""

from typing import Any

from hive.standins.github import access, labels, merging, nodeids, relations
from hive.standins.github import issues as rules
from hive.standins.github.failures import ApiFailure
from hive.standins.github.graphql.people import actor
from hive.standins.github.graphql.resolving import RepoCommit, connect, fields, simple, type_name
from hive.standins.github.records import Comment, Event, Issue, Label, Pull, Repository
from hive.standins.github.rest.bodies.issues import association
from hive.standins.github.rest.call import View

_BOTH = "Issue PullRequest"
_SUNSET = (
    "Projects (classic) is being deprecated in favor of the new Projects experience, see: "
    "https://github.blog/changelog/2024-05-23-sunset-notice-projects-classic/."
)


def part(source: Issue | Pull, view: View) -> Issue:
    """The issue, or the issue part of a pull request."""
    return source if isinstance(source, Issue) else view.forge.issue_of(source)


def repo_of(source: Any, view: View) -> Repository:
    """The repository of a record."""
    return view.forge.repo_of(source.repo)


def page(source: Issue | Pull, view: View) -> str:
    """The address of the page of an issue or pull request."""
    kind = "issues" if isinstance(source, Issue) and not source.is_pull else "pull"
    return view.urls.page(repo_of(source, view).full_name, kind, source.number)


def _summary(it: Issue, view: View) -> dict[str, int]:
    found = relations.parts(view.forge, it)
    done = sum(each.state == "closed" for each in found)
    share = round(100 * done / len(found)) if found else 0
    return {"total": len(found), "completed": done, "percentCompleted": share}


def _lock_reason(it: Issue) -> str | None:
    return it.lock_reason.upper().replace("-", "_").replace(" ", "_") if it.lock_reason else None


def _may(source: Any, view: View) -> bool:
    author = view.viewer is not None and view.viewer.id == part(source, view).author
    return author or access.may(view.forge, view.viewer, repo_of(source, view), "triage")


simple(
    _BOTH,
    id=lambda it, view: nodeids.of(it),
    databaseId=lambda it, view: it.id,
    fullDatabaseId=lambda it, view: str(it.id),
    number=lambda it, view: it.number,
    title=lambda it, view: part(it, view).title,
    titleHTML=lambda it, view: part(it, view).title,
    body=lambda it, view: part(it, view).body or "",
    bodyText=lambda it, view: part(it, view).body or "",
    author=lambda it, view: actor(view, part(it, view).author),
    authorAssociation=lambda it, view: association(
        view, repo_of(it, view), part(it, view).author, part(it, view).association
    ),
    createdAt=lambda it, view: part(it, view).created_at,
    publishedAt=lambda it, view: part(it, view).created_at,
    updatedAt=lambda it, view: part(it, view).updated_at,
    closedAt=lambda it, view: part(it, view).closed_at,
    closed=lambda it, view: part(it, view).state == "closed",
    lastEditedAt=lambda it, view: part(it, view).edited_at,
    includesCreatedEdit=lambda it, view: part(it, view).edited_at is not None,
    locked=lambda it, view: part(it, view).locked,
    activeLockReason=lambda it, view: _lock_reason(part(it, view)),
    milestone=lambda it, view: None,
    editor=lambda it, view: actor(view, part(it, view).edited_by),
    isReadByViewer=lambda it, view: True,
    createdViaEmail=lambda it, view: False,
    reactionGroups=lambda it, view: [],
    repository=repo_of,
    url=page,
    resourcePath=lambda it, view: page(it, view).removeprefix(view.urls.html),
    viewerDidAuthor=lambda it, view: view.viewer is not None and view.viewer.id == part(it, view).author,
    viewerCanUpdate=_may,
    viewerCanClose=_may,
    viewerCanReopen=_may,
    viewerCanLabel=lambda it, view: access.may(view.forge, view.viewer, repo_of(it, view), "triage"),
    viewerCanReact=lambda it, view: view.viewer is not None,
    viewerCanSubscribe=lambda it, view: view.viewer is not None,
    viewerSubscription=lambda it, view: "UNSUBSCRIBED",
    viewerCannotUpdateReasons=lambda it, view: [],
)
simple(
    "Issue",
    state=lambda it, view: it.state.upper(),
    isPinned=lambda it, view: False,
    parent=lambda it, view: view.forge.store.issues.get(it.parent),
    issueType=lambda it, view: issue_type(it),
    viewerCanDelete=lambda it, view: False,
    subIssuesSummary=_summary,
    trackedIssuesCount=lambda it, view, **_: 0,
)


def issue_type(it: Issue) -> dict[str, Any] | None:
    """The type of an issue, which every organization's issues may have."""
    if it.kind is None:
        return None
    number = relations.TYPES.index(it.kind) + 1
    return {"id": f"IT_kw{number}", "name": it.kind, "description": None, "color": "GRAY"}


@fields("Issue.blockedBy")
def blocked_by(it: Issue, view: View, **arguments: Any) -> Any:
    """What has to be closed first."""
    return connect(relations.blocked_by(view.forge, it), **arguments)


@fields("Issue.blocking")
def blocking(it: Issue, view: View, **arguments: Any) -> Any:
    """What waits for it."""
    return connect(relations.blocking(view.forge, it), **arguments)


@fields("Issue.subIssues")
def sub_issues(it: Issue, view: View, **arguments: Any) -> Any:
    """Its parts."""
    return connect(relations.parts(view.forge, it), **arguments)


@fields("Issue.stateReason")
def state_reason(it: Issue, view: View, enableDuplicate: bool = False) -> str | None:  # noqa: N803
    """Why it is closed, or that it was reopened."""
    return it.state_reason.upper() if it.state_reason else None


@fields("Issue.labels", "PullRequest.labels")
def label_list(it: Issue | Pull, view: View, orderBy: Any = None, **arguments: Any) -> Any:  # noqa: N803
    """Its labels, in the order in which they were put there."""
    return connect(labels.on(view.forge, part(it, view)), **arguments)


@fields("Issue.assignees", "PullRequest.assignees", "Issue.assignedActors", "PullRequest.assignedActors")
def assignees(it: Issue | Pull, view: View, **arguments: Any) -> Any:
    """Who is assigned."""
    return connect([actor(view, number) for number in part(it, view).assignees], **arguments)


@fields("Issue.participants", "PullRequest.participants")
def participants(it: Issue | Pull, view: View, **arguments: Any) -> Any:
    """The people who wrote something."""
    comments = view.forge.store.comments.of(it.repo, it.number)
    numbers = dict.fromkeys([part(it, view).author, *(comment.author for comment in comments)])
    found = (actor(view, number) for number in numbers)
    return connect([who for who in found if who is not None and who.kind == "person"], **arguments)


@fields("Issue.comments", "PullRequest.comments")
def comments(it: Issue | Pull, view: View, orderBy: Any = None, **arguments: Any) -> Any:  # noqa: N803
    """The conversation."""
    return connect(view.forge.store.comments.of(it.repo, it.number), **arguments)


@fields("Issue.projectCards", "PullRequest.projectCards")
def project_cards(it: Issue | Pull, view: View, **_: Any) -> Any:
    """An error, as GitHub answers since classic projects are gone."""
    raise ApiFailure(
        410, f"{_SUNSET} (repository.{'issue' if isinstance(it, Issue) else 'pullRequest'}.projectCards)"
    )


@fields(
    "Issue.projectItems",
    "PullRequest.projectItems",
    "Issue.linkedBranches",
    "Issue.trackedIssues",
    "Issue.trackedInIssues",
    "Issue.reactions",
    "PullRequest.reactions",
)
def nothing(it: Issue | Pull, view: View, **arguments: Any) -> Any:
    """None of these are kept."""
    return connect([], **arguments)


@fields("Issue.closedByPullRequestsReferences")
def closing_pulls(it: Issue, view: View, **arguments: Any) -> Any:
    """The pull requests that say they close it; merged and closed ones only where asked."""
    repo, closed = repo_of(it, view), arguments.pop("includeClosedPrs", False)
    found = []
    for pull in view.forge.pulls_of(repo):
        issue = view.forge.issue_of(pull)
        shown = closed or issue.state == "open" or pull.merged_at
        if shown and it.number in rules.closed_by(issue.body):
            found.append(pull)
    return connect(found, **arguments)


@fields("Issue.timelineItems", "PullRequest.timelineItems")
def timeline(it: Issue | Pull, view: View, **arguments: Any) -> Any:
    """Comments and the events that are served, oldest first."""
    wanted = arguments.pop("itemTypes", None)
    events: list[Any] = [e for e in view.forge.store.events.of(it.repo, it.number) if type_name(e)]
    events += view.forge.store.comments.of(it.repo, it.number)
    found = [e for e in events if not wanted or _item_type(e) in wanted]
    return connect(sorted(found, key=_when), **arguments)


def _when(entry: Event | Comment) -> str:
    return entry.at if isinstance(entry, Event) else entry.created_at


def _item_type(entry: Event | Comment) -> str:
    """`LABELED_EVENT` for a LabeledEvent."""
    name = type_name(entry)
    return "".join(f"_{c}" if c.isupper() and position else c for position, c in enumerate(name)).upper()


def _event_label(event: Event, view: View) -> Any:
    repo = view.forge.repo_of(event.repo)
    found = labels.find(view.forge, repo, event.data["label"])
    # GitHub keeps what the label was, where it has another name by now or is gone.
    return found or Label(0, event.repo, event.data["label"], event.data.get("color", "ededed"))


def _event_commit(event: Event, view: View) -> RepoCommit | None:
    repo, sha = view.forge.repo_of(event.repo), event.data.get("commit")
    return RepoCommit(repo, view.forge.git(repo).commit(sha)) if sha else None


simple(
    "LabeledEvent UnlabeledEvent ClosedEvent ReopenedEvent MergedEvent RenamedTitleEvent AssignedEvent "
    "HeadRefForcePushedEvent ReadyForReviewEvent ConvertToDraftEvent ReviewRequestedEvent UnassignedEvent "
    "ReviewDismissedEvent ReviewRequestRemovedEvent HeadRefDeletedEvent BaseRefChangedEvent LockedEvent "
    "AutoMergeEnabledEvent AutoMergeDisabledEvent AddedToMergeQueueEvent RemovedFromMergeQueueEvent "
    "UnlockedEvent",
    id=lambda event, view: nodeids.of(event),
    actor=lambda event, view: actor(view, event.actor),
    createdAt=lambda event, view: event.at,
    label=_event_label,
    assignee=lambda event, view: view.forge.account(event.data["assignee"]),
    requestedReviewer=lambda event, view: view.forge.account(event.data.get("reviewer", "")),
    dismissalMessage=lambda event, view: event.data["message"],
    previousReviewState=lambda event, view: event.data["state"].upper(),
    review=lambda event, view: view.forge.store.reviews.get(int(event.data["review"])),
    previousRefName=lambda event, view: event.data["old"],
    currentRefName=lambda event, view: event.data["new"],
    reason=lambda event, view: event.data.get("reason"),
    lockReason=lambda event, view: None,
    enabler=lambda event, view: actor(view, event.actor),
    disabler=lambda event, view: actor(view, event.actor),
    enqueuer=lambda event, view: actor(view, event.actor),
    pullRequest=lambda event, view: view.forge.pull(repo_of(event, view), event.number),
    previousTitle=lambda event, view: event.data["old"],
    currentTitle=lambda event, view: event.data["new"],
    stateReason=lambda event, view: None,
    closer=lambda event, view: None,
    commit=_event_commit,
)


def _comment_url(comment: Comment, view: View) -> str:
    issue = view.forge.issue(view.forge.repo_of(comment.repo), comment.number)
    assert issue is not None
    return f"{page(issue, view)}#issuecomment-{comment.id}"


simple(
    "IssueComment",
    id=lambda comment, view: nodeids.of(comment),
    databaseId=lambda comment, view: comment.id,
    fullDatabaseId=lambda comment, view: str(comment.id),
    author=lambda comment, view: actor(view, comment.author),
    authorAssociation=lambda comment, view: association(
        view, repo_of(comment, view), comment.author, comment.association
    ),
    body=lambda comment, view: comment.body,
    bodyText=lambda comment, view: comment.body,
    createdAt=lambda comment, view: comment.created_at,
    publishedAt=lambda comment, view: comment.created_at,
    updatedAt=lambda comment, view: comment.updated_at,
    lastEditedAt=lambda comment, view: comment.edited_at,
    editor=lambda comment, view: actor(view, comment.edited_by),
    includesCreatedEdit=lambda comment, view: comment.edited_at is not None,
    isMinimized=lambda comment, view: False,
    minimizedReason=lambda comment, view: None,
    reactionGroups=lambda comment, view: [],
    url=_comment_url,
    repository=repo_of,
    issue=lambda comment, view: view.forge.issue(repo_of(comment, view), comment.number),
    pullRequest=lambda comment, view: view.forge.pull(repo_of(comment, view), comment.number),
    viewerDidAuthor=lambda comment, view: view.viewer is not None and view.viewer.id == comment.author,
    viewerCanUpdate=lambda comment, view: view.viewer is not None and view.viewer.id == comment.author,
    viewerCanDelete=lambda comment, view: view.viewer is not None and view.viewer.id == comment.author,
)


def mergeable(pull: Pull, view: View) -> str:
    """GraphQL's `mergeable`: UNKNOWN at the first look."""
    answer = merging.look(view.forge, pull)
    return "UNKNOWN" if answer is None else "MERGEABLE" if answer else "CONFLICTING"
