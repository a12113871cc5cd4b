"""Pull requests and reviews."""

from typing import Any

from hive.standins.github import access, checks, diffs, enforcing, nodeids, pulls
from hive.standins.github import issues as rules
from hive.standins.github.diffs import FileChange
from hive.standins.github.graphql.issues import mergeable, page, part, repo_of
from hive.standins.github.graphql.people import actor
from hive.standins.github.graphql.resolving import (
    Branch,
    PullCommit,
    RepoCommit,
    Requested,
    Rollup,
    connect,
    fields,
    simple,
)
from hive.standins.github.records import Pull, Review
from hive.standins.github.rest.bodies.issues import association
from hive.standins.github.rest.call import View
from hive.standins.github.settling import base_tip


def _state(pull: Pull, view: View) -> str:
    return "MERGED" if pull.merged_at else part(pull, view).state.upper()


def _totals(pull: Pull, view: View) -> tuple[int, int, int]:
    repo = repo_of(pull, view)
    return diffs.totals(view.forge.git(repo), pulls.compared_with(view.forge, repo, pull), pull.head_sha)


def _ref(pull: Pull, view: View, name: str) -> Branch | None:
    repo = repo_of(pull, view)
    return Branch(repo, name, repo.heads[name]) if name in repo.heads else None


def _commit(pull: Pull, view: View, sha: str | None) -> RepoCommit | None:
    repo = repo_of(pull, view)
    return RepoCommit(repo, view.forge.git(repo).commit(sha)) if sha else None


def _merge_state(pull: Pull, view: View) -> str:
    """GitHub's `mergeStateStatus`, which a look at `mergeable` in the same query agrees with."""
    known = mergeable(pull, view)
    if known != "MERGEABLE":
        return "UNKNOWN" if known == "UNKNOWN" else "DIRTY"
    return enforcing.merge_state(view.forge, repo_of(pull, view), pull, True).upper()


def _rollup(pull: Pull, view: View) -> Rollup | None:
    repo = repo_of(pull, view)
    reported = checks.rollup(view.forge, repo, pull.head_sha)
    return Rollup(repo, pull.head_sha) if reported else None


simple(
    "PullRequest",
    state=_state,
    isDraft=lambda pull, view: pull.draft,
    merged=lambda pull, view: pull.merged_at is not None,
    mergedAt=lambda pull, view: pull.merged_at,
    mergedBy=lambda pull, view: actor(view, pull.merged_by),
    mergeCommit=lambda pull, view: _commit(pull, view, pull.merge_commit),
    potentialMergeCommit=lambda pull, view: None,
    mergeable=mergeable,
    mergeStateStatus=_merge_state,
    canBeRebased=lambda pull, view: mergeable(pull, view) == "MERGEABLE",
    headRefName=lambda pull, view: pull.head,
    headRefOid=lambda pull, view: pull.head_sha,
    headRef=lambda pull, view: _ref(pull, view, pull.head),
    headRepository=repo_of,
    headRepositoryOwner=lambda pull, view: actor(view, repo_of(pull, view).owner),
    baseRefName=lambda pull, view: pull.base,
    baseRefOid=lambda pull, view: pull.base_sha if pull.merged_at else base_tip(view.forge, pull),
    baseRef=lambda pull, view: _ref(pull, view, pull.base),
    baseRepository=repo_of,
    isCrossRepository=lambda pull, view: False,
    maintainerCanModify=lambda pull, view: pull.maintainer_can_modify,
    additions=lambda pull, view: _totals(pull, view)[1],
    deletions=lambda pull, view: _totals(pull, view)[2],
    changedFiles=lambda pull, view: _totals(pull, view)[0],
    permalink=page,
    checksUrl=lambda pull, view: f"{page(pull, view)}/checks",
    reviewDecision=lambda pull, view: enforcing.decision(view.forge, repo_of(pull, view), pull),
    statusCheckRollup=_rollup,
    totalCommentsCount=lambda pull, view: len(view.forge.store.comments.of(pull.repo, pull.number)),
    suggestedReviewers=lambda pull, view: [],
    viewerCanApplySuggestion=lambda pull, view: False,
    viewerCanDeleteHeadRef=lambda pull, view: access.may(
        view.forge, view.viewer, repo_of(pull, view), "write"
    ),
    viewerCanDisableAutoMerge=lambda pull, view: False,
    viewerCanEnableAutoMerge=lambda pull, view: False,
    viewerCanEditFiles=lambda pull, view: False,
    viewerCanMergeAsAdmin=lambda pull, view: access.may(
        view.forge, view.viewer, repo_of(pull, view), "admin"
    ),
    viewerCanUpdateBranch=lambda pull, view: False,
    viewerLatestReview=lambda pull, view: None,
    viewerLatestReviewRequest=lambda pull, view: None,
    viewerMergeBodyText=lambda pull, view, **_: part(pull, view).title,
    viewerMergeHeadlineText=lambda pull, view, **_: f"{part(pull, view).title} (#{pull.number})",
)


@fields("PullRequest.commits")
def commits(pull: Pull, view: View, **arguments: Any) -> Any:
    """Its commits, oldest first."""
    repo = repo_of(pull, view)
    found = pulls.commits(view.forge, repo, pull)
    return connect([PullCommit(pull, RepoCommit(repo, commit)) for commit in found], **arguments)


@fields("PullRequest.files")
def files(pull: Pull, view: View, **arguments: Any) -> Any:
    """What it changes."""
    repo = repo_of(pull, view)
    start = pulls.compared_with(view.forge, repo, pull)
    return connect(diffs.between(view.forge.git(repo), start, pull.head_sha), **arguments)


@fields("PullRequest.closingIssuesReferences")
def closing_issues(pull: Pull, view: View, **arguments: Any) -> Any:
    """The issues that its body says it closes."""
    repo = repo_of(pull, view)
    named = (view.forge.issue(repo, number) for number in rules.closed_by(part(pull, view).body))
    return connect([issue for issue in named if issue is not None and not issue.is_pull], **arguments)


@fields("PullRequest.reviews")
def review_list(pull: Pull, view: View, **arguments: Any) -> Any:
    """Every review, oldest first."""
    states, author = arguments.pop("states", None), arguments.pop("author", None)
    found = view.forge.store.reviews.of(pull.repo, pull.number)
    chosen = [
        review
        for review in found
        if (not states or review.state in states)
        and (review.state != "PENDING" or (view.viewer is not None and view.viewer.id == review.author))
    ]
    return connect([r for r in chosen if author in (None, view.forge.login(r.author))], **arguments)


@fields("PullRequest.latestReviews")
def latest_reviews(pull: Pull, view: View, writersOnly: bool = False, **arguments: Any) -> Any:  # noqa: N803
    """Each reviewer's newest review."""
    found = view.forge.store.reviews.of(pull.repo, pull.number)
    newest = {review.author: review for review in found if review.state != "PENDING"}
    return connect(list(newest.values()), **arguments)


@fields("PullRequest.latestOpinionatedReviews")
def latest_opinions(pull: Pull, view: View, writersOnly: bool = False, **arguments: Any) -> Any:  # noqa: N803
    """Each reviewer's newest review that approves, requests changes or was dismissed."""
    repo, newest = repo_of(pull, view), {}
    for review in view.forge.store.reviews.of(pull.repo, pull.number):
        who = actor(view, review.author)
        if review.state in ("COMMENTED", "PENDING"):
            continue
        if not writersOnly or access.may(view.forge, who, repo, "write"):
            newest[review.author] = review
    return connect(list(newest.values()), **arguments)


@fields("PullRequest.reviewRequests")
def review_requests(pull: Pull, view: View, **arguments: Any) -> Any:
    """Who was asked and has not answered."""
    teams = [view.forge.store.teams.get(number) for number in pull.teams]
    asked = [Requested(pull, actor(view, number)) for number in pull.reviewers]
    return connect([*asked, *(Requested(pull, team) for team in teams)], **arguments)


@fields("PullRequest.suggestedReviewerActors")
def nothing(it: Any, view: View, **arguments: Any) -> Any:
    """Nobody is suggested."""
    return connect([], **arguments)


simple(
    "ReviewRequest",
    requestedReviewer=lambda request, view: request.of,
    pullRequest=lambda request, view: request.pull,
    asCodeOwner=lambda request, view: False,
)


def _pull(review: Review, view: View) -> Pull:
    return pulls.get(view.forge, repo_of(review, view), review.number)


simple(
    "PullRequestReview",
    id=lambda review, view: nodeids.of(review),
    databaseId=lambda review, view: review.id,
    fullDatabaseId=lambda review, view: str(review.id),
    author=lambda review, view: actor(view, review.author),
    authorAssociation=lambda review, view: association(view, repo_of(review, view), review.author, None),
    body=lambda review, view: review.body,
    bodyText=lambda review, view: review.body,
    state=lambda review, view: review.state,
    submittedAt=lambda review, view: review.submitted_at or None,
    createdAt=lambda review, view: review.submitted_at or view.forge.clock.now(),
    updatedAt=lambda review, view: review.submitted_at or view.forge.clock.now(),
    publishedAt=lambda review, view: review.submitted_at or None,
    includesCreatedEdit=lambda review, view: False,
    lastEditedAt=lambda review, view: None,
    isMinimized=lambda review, view: False,
    reactionGroups=lambda review, view: [],
    commit=lambda review, view: _commit(_pull(review, view), view, review.commit),
    url=lambda review, view: f"{page(_pull(review, view), view)}#pullrequestreview-{review.id}",
    pullRequest=_pull,
    repository=repo_of,
    viewerDidAuthor=lambda review, view: view.viewer is not None and view.viewer.id == review.author,
)


_CHANGES = {
    "added": "ADDED",
    "removed": "DELETED",
    "renamed": "RENAMED",
    "copied": "COPIED",
    "changed": "CHANGED",
}


def _change(file: FileChange, view: View) -> str:
    return _CHANGES.get(file.status, "MODIFIED")


simple(
    "PullRequestChangedFile",
    path=lambda file, view: file.path,
    additions=lambda file, view: file.additions,
    deletions=lambda file, view: file.deletions,
    changeType=_change,
    viewerViewedState=lambda file, view: "UNVIEWED",
)
