"""Mutations on pull requests."""

from typing import Any

from hive.standins.github import access, merging, pulls, reverting, reviews, threads
from hive.standins.github.failures import ApiFailure
from hive.standins.github.graphql.issues import part, repo_of
from hive.standins.github.graphql.mutations import Input, allowed
from hive.standins.github.graphql.queries import readable
from hive.standins.github.graphql.resolving import fields
from hive.standins.github.graphql.threads import remark_of
from hive.standins.github.records import Account, Pull
from hive.standins.github.rest.call import View


def pull_of(view: View, node_id: str) -> Pull:
    """The pull request that a node id names, or GraphQL's NOT_FOUND."""
    found = readable(view, node_id)
    if not isinstance(found, Pull):
        raise ApiFailure(404, f"Could not resolve to a node with the global id of '{node_id}'.")
    return found


def _answer(given: Input, **parts: Any) -> dict[str, Any]:
    return {"clientMutationId": given.get("clientMutationId"), **parts}


@fields("Mutation.createPullRequest")
def create(source: Any, view: View, input: Input) -> Any:
    """Open a pull request."""
    repo = readable(view, input["repositoryId"])
    me = allowed(view, repo, "write")
    wanted = pulls.Proposal(
        title=input["title"],
        body=input.get("body"),
        head=input["headRefName"],
        base=input["baseRefName"],
        draft=bool(input.get("draft")),
        maintainer_can_modify=bool(input.get("maintainerCanModify")),
    )
    return _answer(input, pullRequest=pulls.create(view.forge, repo, me, wanted))


@fields("Mutation.closePullRequest")
def close(source: Any, view: View, input: Input) -> Any:
    """Close without merging."""
    pull = pull_of(view, input["pullRequestId"])
    me = allowed(view, repo_of(pull, view), "triage", part(pull, view).author)
    pulls.edit(view.forge, repo_of(pull, view), pull, me, base=None, state="closed")
    return _answer(input, pullRequest=pull)


@fields("Mutation.reopenPullRequest")
def reopen(source: Any, view: View, input: Input) -> Any:
    """Open a closed one again."""
    pull = pull_of(view, input["pullRequestId"])
    me = allowed(view, repo_of(pull, view), "triage", part(pull, view).author)
    pulls.edit(view.forge, repo_of(pull, view), pull, me, base=None, state="open")
    return _answer(input, pullRequest=pull)


@fields("Mutation.mergePullRequest")
def merge(source: Any, view: View, input: Input) -> Any:
    """Merge, on the expected head where one is given."""
    pull = pull_of(view, input["pullRequestId"])
    repo = repo_of(pull, view)
    me = allowed(view, repo, "write")
    method = (input.get("mergeMethod") or "MERGE").lower()
    how = merging.Merge(method, input.get("commitHeadline"), input.get("commitBody"))
    merging.merge(view.forge, repo, pull, me, how, sha=input.get("expectedHeadOid"))
    return _answer(input, pullRequest=pull, actor=me)


@fields("Mutation.revertPullRequest")
def revert(source: Any, view: View, input: Input) -> Any:
    """Open a pull request that undoes a merged one."""
    pull = pull_of(view, input["pullRequestId"])
    repo = repo_of(pull, view)
    me = allowed(view, repo, "write")
    words = reverting.Words(input.get("title"), input.get("body"), bool(input.get("draft")))
    made = reverting.revert(view.forge, repo, pull, me, words)
    return _answer(input, pullRequest=pull, revertPullRequest=made)


@fields("Mutation.markPullRequestReadyForReview")
def ready(source: Any, view: View, input: Input) -> Any:
    """No draft any more."""
    return _draft(view, input, False)


@fields("Mutation.convertPullRequestToDraft")
def to_draft(source: Any, view: View, input: Input) -> Any:
    """Back to a draft."""
    return _draft(view, input, True)


def _draft(view: View, given: Input, draft: bool) -> Any:
    pull = pull_of(view, given["pullRequestId"])
    me = allowed(view, repo_of(pull, view), "write", part(pull, view).author)
    pulls.set_draft(view.forge, repo_of(pull, view), pull, me, draft)
    return _answer(given, pullRequest=pull)


@fields("Mutation.addPullRequestReview")
def review(source: Any, view: View, input: Input) -> Any:
    """Review, submitted at once."""
    pull = pull_of(view, input["pullRequestId"])
    me, event = access.signed_in(view.viewer), input.get("event")
    repo, body, commit = repo_of(pull, view), input.get("body") or "", input.get("commitOID")
    remarks = [remark_of(each) for each in [*(input.get("comments") or []), *(input.get("threads") or [])]]
    if event is None:
        made = reviews.begin(view.forge, repo, pull, me, body=body, commit=commit)
        for remark in remarks:
            threads.open_thread(view.forge, repo, pull, made, remark)
    else:
        made = reviews.submit(
            view.forge, repo, pull, me, event=event, body=body, commit=commit, remarks=remarks
        )
    return _answer(input, pullRequestReview=made, reviewEdge={"cursor": "", "node": made})


@fields("Mutation.requestReviews", "Mutation.requestReviewsByLogin")
def request_reviews(source: Any, view: View, input: Input) -> Any:
    """Ask for reviews; without `union`, of nobody else any more."""
    pull = pull_of(view, input["pullRequestId"])
    repo = repo_of(pull, view)
    me = allowed(view, repo, "triage", part(pull, view).author)
    accounts = [readable(view, each) for each in input.get("userIds") or []]
    logins = [who.login for who in accounts if isinstance(who, Account)] + list(input.get("userLogins") or [])
    if not input.get("union"):
        gone = [view.forge.login(number) for number in pull.reviewers]
        pulls.drop_reviewers(view.forge, pull, me, [login for login in gone if login not in logins])
    pulls.request_reviewers(view.forge, repo, pull, me, logins)
    return _answer(input, pullRequest=pull, actor=me)
