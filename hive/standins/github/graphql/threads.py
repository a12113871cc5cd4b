"""Conversations about lines, and the mutations on them and on reviews."""

from typing import Any

from hive.standins.github import access, nodeids, pulls, reviews, threads
from hive.standins.github.failures import ApiFailure
from hive.standins.github.graphql.issues import page, repo_of
from hive.standins.github.graphql.mutations import Input, allowed
from hive.standins.github.graphql.people import actor
from hive.standins.github.graphql.queries import readable
from hive.standins.github.graphql.resolving import RepoCommit, connect, fields, simple
from hive.standins.github.records import Pull, Review
from hive.standins.github.records_reviews import LineComment, Thread
from hive.standins.github.rest.bodies.issues import association
from hive.standins.github.rest.call import View


def _pull(it: Thread | LineComment | Review, view: View) -> Pull:
    return pulls.get(view.forge, repo_of(it, view), it.number)


def _thread(comment: LineComment, view: View) -> Thread:
    return threads.thread_of(view.forge, comment)


def _commit(thread: Thread, view: View) -> RepoCommit:
    repo = repo_of(thread, view)
    return RepoCommit(repo, view.forge.git(repo).commit(thread.commit))


def _may_resolve(thread: Thread, view: View) -> bool:
    """The pull request's author, or who may write."""
    repo, pull = repo_of(thread, view), _pull(thread, view)
    author = view.viewer is not None and view.viewer.id == view.forge.issue_of(pull).author
    return author or access.may(view.forge, view.viewer, repo, "write")


simple(
    "PullRequestReviewThread",
    id=lambda thread, view: nodeids.of(thread),
    path=lambda thread, view: thread.path,
    line=lambda thread, view: thread.line,
    startLine=lambda thread, view: thread.start,
    originalLine=lambda thread, view: thread.original_line,
    originalStartLine=lambda thread, view: thread.original_start,
    diffSide=lambda thread, view: thread.side,
    startDiffSide=lambda thread, view: thread.side if thread.original_start else None,
    subjectType=lambda thread, view: "FILE" if thread.whole_file else "LINE",
    isOutdated=lambda thread, view: thread.outdated,
    isCollapsed=lambda thread, view: thread.resolved_by is not None or thread.outdated,
    isResolved=lambda thread, view: thread.resolved_by is not None,
    resolvedBy=lambda thread, view: actor(view, thread.resolved_by),
    pullRequest=_pull,
    repository=repo_of,
    viewerCanReply=lambda thread, view: view.viewer is not None,
    viewerCanResolve=lambda thread, view: thread.resolved_by is None and _may_resolve(thread, view),
    viewerCanUnresolve=lambda thread, view: thread.resolved_by is not None and _may_resolve(thread, view),
)
simple(
    "PullRequestReviewComment",
    id=lambda it, view: nodeids.of(it),
    databaseId=lambda it, view: it.id,
    fullDatabaseId=lambda it, view: str(it.id),
    author=lambda it, view: actor(view, it.author),
    authorAssociation=lambda it, view: association(view, repo_of(it, view), it.author, None),
    body=lambda it, view: it.body,
    bodyText=lambda it, view: it.body,
    bodyHTML=lambda it, view: it.body,
    createdAt=lambda it, view: it.created_at,
    draftedAt=lambda it, view: it.created_at,
    publishedAt=lambda it, view: it.created_at,
    updatedAt=lambda it, view: it.updated_at,
    lastEditedAt=lambda it, view: it.edited_at,
    includesCreatedEdit=lambda it, view: it.edited_at is not None,
    createdViaEmail=lambda it, view: False,
    isMinimized=lambda it, view: False,
    minimizedReason=lambda it, view: None,
    reactionGroups=lambda it, view: [],
    diffHunk=lambda it, view: _thread(it, view).hunk,
    path=lambda it, view: _thread(it, view).path,
    line=lambda it, view: _thread(it, view).line,
    startLine=lambda it, view: _thread(it, view).start,
    originalLine=lambda it, view: _thread(it, view).original_line,
    originalStartLine=lambda it, view: _thread(it, view).original_start,
    outdated=lambda it, view: _thread(it, view).outdated,
    originalCommit=lambda it, view: _commit(_thread(it, view), view),
    commit=lambda it, view: _commit(_thread(it, view), view),
    subjectType=lambda it, view: "FILE" if _thread(it, view).whole_file else "LINE",
    state=lambda it, view: "PENDING" if _is_pending(it, view) else "SUBMITTED",
    pullRequest=_pull,
    pullRequestReview=lambda it, view: view.forge.store.reviews.get(it.review),
    replyTo=lambda it, view: view.forge.store.line_comments.get(it.reply_to),
    repository=repo_of,
    url=lambda it, view: f"{page(_pull(it, view), view)}#discussion_r{it.id}",
    viewerDidAuthor=lambda it, view: view.viewer is not None and view.viewer.id == it.author,
    viewerCanUpdate=lambda it, view: view.viewer is not None and view.viewer.id == it.author,
    viewerCanDelete=lambda it, view: view.viewer is not None and view.viewer.id == it.author,
)


def _is_pending(comment: LineComment, view: View) -> bool:
    review = view.forge.store.reviews.get(comment.review)
    return review is not None and review.state == "PENDING"


@fields("PullRequest.reviewThreads")
def of_pull(pull: Pull, view: View, **arguments: Any) -> Any:
    """The threads of a pull request."""
    return connect(threads.of_pull(view.forge, pull, view.viewer), **arguments)


@fields("PullRequestReviewThread.comments")
def of_thread(thread: Thread, view: View, **arguments: Any) -> Any:
    """What was said in a thread."""
    arguments.pop("skip", None)
    return connect(threads.comments_of(view.forge, thread, view.viewer), **arguments)


@fields("PullRequestReview.comments")
def of_review(review: Review, view: View, **arguments: Any) -> Any:
    """What a review says about lines."""
    said = view.forge.store.line_comments.of(review.repo, review.number)
    shown = [
        each for each in said if each.review == review.id and threads.seen(view.forge, each, view.viewer)
    ]
    return connect(shown, **arguments)


def _answer(given: Input, **parts: Any) -> dict[str, Any]:
    return {"clientMutationId": given.get("clientMutationId"), **parts}


def _found(view: View, node_id: str, kind: type) -> Any:
    found = readable(view, node_id)
    if not isinstance(found, kind):
        raise ApiFailure(404, f"Could not resolve to a node with the global id of '{node_id}'.")
    return found


@fields("Mutation.resolveReviewThread", "Mutation.unresolveReviewThread")
def resolve(source: Any, view: View, input: Input) -> Any:
    """Close a conversation, or open a closed one again: what it is, it becomes no more."""
    thread = _found(view, input["threadId"], Thread)
    if not _may_resolve(thread, view):
        raise ApiFailure(403, "Resource not accessible by personal access token")
    threads.resolve(view.forge, thread, access.signed_in(view.viewer), thread.resolved_by is None)
    return _answer(input, thread=thread)


def remark_of(given: Input) -> threads.Remark:
    """A comment on lines as the mutations have it."""
    return threads.Remark(
        path=given.get("path") or "",
        body=given.get("body") or "",
        line=given.get("line") or given.get("position"),
        side=given.get("side") or "RIGHT",
        start=given.get("startLine"),
        whole_file=given.get("subjectType") == "FILE",
    )


@fields("Mutation.addPullRequestReviewThread")
def add_thread(source: Any, view: View, input: Input) -> Any:
    """Begin a conversation about lines, in a review that is submitted later."""
    me = access.signed_in(view.viewer)
    if input.get("pullRequestReviewId"):
        review = _found(view, input["pullRequestReviewId"], Review)
        pull = _pull(review, view)
    else:
        pull = _found(view, input["pullRequestId"], Pull)
        repo = repo_of(pull, view)
        review = reviews.pending_of(view.forge, pull, me) or reviews.begin(view.forge, repo, pull, me)
    thread, _ = threads.open_thread(view.forge, repo_of(pull, view), pull, review, remark_of(input))
    return _answer(input, thread=thread)


@fields("Mutation.addPullRequestReviewThreadReply")
def reply(source: Any, view: View, input: Input) -> Any:
    """Answer in a conversation."""
    me, thread = access.signed_in(view.viewer), _found(view, input["pullRequestReviewThreadId"], Thread)
    reviews.reply(view.forge, repo_of(thread, view), _pull(thread, view), me, thread, input["body"])
    return _answer(input, comment=threads.comments_of(view.forge, thread, me)[-1])


@fields("Mutation.submitPullRequestReview")
def submit(source: Any, view: View, input: Input) -> Any:
    """Submit a review that was begun."""
    me = access.signed_in(view.viewer)
    if input.get("pullRequestReviewId"):
        review = _found(view, input["pullRequestReviewId"], Review)
    else:
        review = reviews.pending_of(view.forge, _found(view, input["pullRequestId"], Pull), me)
        if review is None:
            raise ApiFailure(422, "Could not find a pending review.")
    pull = _pull(review, view)
    made = reviews.finish(
        view.forge, repo_of(pull, view), pull, review, me, event=input["event"], body=input.get("body")
    )
    return _answer(input, pullRequestReview=made)


@fields("Mutation.dismissPullRequestReview")
def dismiss(source: Any, view: View, input: Input) -> Any:
    """Take a review's ruling away."""
    review = _found(view, input["pullRequestReviewId"], Review)
    repo = repo_of(review, view)
    me = allowed(view, repo, "write")
    reviews.dismiss(view.forge, repo, _pull(review, view), review, me, input["message"])
    return _answer(input, pullRequestReview=review)


@fields("Mutation.deletePullRequestReview")
def discard(source: Any, view: View, input: Input) -> Any:
    """Throw away a review that was not submitted."""
    review = _found(view, input["pullRequestReviewId"], Review)
    reviews.discard(view.forge, _pull(review, view), review)
    return _answer(input, pullRequestReview=review)
