"""Auto-merge and merge queues in GraphQL."""

from typing import Any

from hive.standins.github import auto_merge, merge_queue, rules
from hive.standins.github.graphql.issues import repo_of
from hive.standins.github.graphql.mutations import Input, allowed
from hive.standins.github.graphql.people import actor
from hive.standins.github.graphql.pull_mutations import pull_of
from hive.standins.github.graphql.resolving import Queue, RepoCommit, connect, fields, simple
from hive.standins.github.merging import Merge
from hive.standins.github.records import Pull, Repository
from hive.standins.github.records_queue import QueueEntry
from hive.standins.github.rest.bodies.protection import QUEUE
from hive.standins.github.rest.call import View


def _answer(given: Input, **parts: Any) -> dict[str, Any]:
    return {"clientMutationId": given.get("clientMutationId"), **parts}


@fields("Mutation.enablePullRequestAutoMerge")
def enable(source: Any, view: View, input: Input) -> Any:
    """Merge it once nothing is against it."""
    pull = pull_of(view, input["pullRequestId"])
    repo = repo_of(pull, view)
    me = allowed(view, repo, "write")
    how = Merge(
        (input.get("mergeMethod") or "MERGE").lower(), input.get("commitHeadline"), input.get("commitBody")
    )
    auto_merge.enable(view.forge, repo, pull, me, how)
    return _answer(input, pullRequest=pull, actor=me)


@fields("Mutation.disablePullRequestAutoMerge")
def disable(source: Any, view: View, input: Input) -> Any:
    """Merge it by itself no longer."""
    pull = pull_of(view, input["pullRequestId"])
    me = allowed(view, repo_of(pull, view), "write", view.forge.issue_of(pull).author)
    auto_merge.disable(view.forge, repo_of(pull, view), pull, me)
    return _answer(input, pullRequest=pull, actor=me)


@fields("Mutation.enqueuePullRequest")
def enqueue(source: Any, view: View, input: Input) -> Any:
    """Put it into the queue of its base."""
    pull = pull_of(view, input["pullRequestId"])
    repo = repo_of(pull, view)
    me = allowed(view, repo, "write")
    made = merge_queue.enqueue(view.forge, repo, pull, me, sha=input.get("expectedHeadOid"))
    return _answer(input, mergeQueueEntry=made)


@fields("Mutation.dequeuePullRequest")
def dequeue(source: Any, view: View, input: Input) -> Any:
    """Take it out of the queue."""
    pull = pull_of(view, input["id"])
    repo = repo_of(pull, view)
    me, entry = allowed(view, repo, "write"), merge_queue.entry_of(view.forge, pull)
    merge_queue.dequeue(view.forge, repo, pull, me)
    return _answer(input, mergeQueueEntry=entry)


@fields("Mutation.updatePullRequestBranch")
def update_branch(source: Any, view: View, input: Input) -> Any:
    """Merge the base into the head."""
    pull = pull_of(view, input["pullRequestId"])
    repo = repo_of(pull, view)
    me = allowed(view, repo, "write", view.forge.issue_of(pull).author)
    auto_merge.update_branch(view.forge, repo, pull, me, sha=input.get("expectedHeadOid"))
    return _answer(input, pullRequest=pull)


def _request(pull: Pull, view: View) -> dict[str, Any] | None:
    given = pull.auto_merge
    if given is None:
        return None
    by = given["by"]
    return {
        "enabledAt": given["at"],
        "enabledBy": actor(view, by if isinstance(by, int) else None),
        "mergeMethod": str(given["method"]).upper(),
        "commitHeadline": given["title"],
        "commitBody": given["message"],
        "authorEmail": None,
        "pullRequest": pull,
    }


def _queue(repo: Repository, base: str, view: View) -> Queue | None:
    return Queue(repo, base) if rules.requirements(view.forge, repo, base).queue is not None else None


simple(
    "PullRequest",
    autoMergeRequest=_request,
    isInMergeQueue=lambda pull, view: merge_queue.entry_of(view.forge, pull) is not None,
    isMergeQueueEnabled=lambda pull, view: _queue(repo_of(pull, view), pull.base, view) is not None,
    mergeQueue=lambda pull, view: _queue(repo_of(pull, view), pull.base, view),
    mergeQueueEntry=lambda pull, view: merge_queue.entry_of(view.forge, pull),
)


@fields("Repository.mergeQueue")
def of_repository(repo: Repository, view: View, branch: str | None = None) -> Queue | None:
    """The queue of a branch."""
    return _queue(repo, branch or repo.default_branch, view)


simple(
    "MergeQueue",
    id=lambda it, view: f"MQ_{it.repo.id}_{it.base}",
    repository=lambda it, view: it.repo,
    url=lambda it, view: view.urls.page(it.repo.full_name, "queue", it.base),
    resourcePath=lambda it, view: f"/{it.repo.full_name}/queue/{it.base}",
    nextEntryEstimatedTimeToMerge=lambda it, view: None,
)


@fields("MergeQueue.configuration")
def configuration(it: Queue, view: View) -> dict[str, Any]:
    """How the queue works."""
    given = {**QUEUE, **(rules.requirements(view.forge, it.repo, it.base).queue or {})}
    return {
        "checkResponseTimeout": given["check_response_timeout_minutes"],
        "maximumEntriesToBuild": given["max_entries_to_build"],
        "maximumEntriesToMerge": given["max_entries_to_merge"],
        "mergeMethod": given["merge_method"],
        "mergingStrategy": given["grouping_strategy"],
        "minimumEntriesToMerge": given["min_entries_to_merge"],
        "minimumEntriesToMergeWaitTime": given["min_entries_to_merge_wait_minutes"],
    }


@fields("MergeQueue.entries")
def entries(it: Queue, view: View, **arguments: Any) -> Any:
    """Who waits, the first one first."""
    return connect(merge_queue.entries(view.forge, it.repo, it.base), **arguments)


def _commit(entry: QueueEntry, view: View, sha: str | None) -> RepoCommit | None:
    repo = repo_of(entry, view)
    return RepoCommit(repo, view.forge.git(repo).commit(sha)) if sha else None


def _position(entry: QueueEntry, view: View) -> int:
    return merge_queue.entries(view.forge, repo_of(entry, view), entry.base).index(entry) + 1


simple(
    "MergeQueueEntry",
    id=lambda it, view: f"MQE_kw{it.id}",
    position=_position,
    state=lambda it, view: merge_queue.state_of(view.forge, repo_of(it, view), it),
    enqueuedAt=lambda it, view: it.at,
    enqueuer=lambda it, view: actor(view, it.by),
    estimatedTimeToMerge=lambda it, view: None,
    headCommit=lambda it, view: _commit(it, view, it.group),
    baseCommit=lambda it, view: _commit(it, view, it.on),
    jump=lambda it, view: False,
    solo=lambda it, view: False,
    mergeQueue=lambda it, view: Queue(repo_of(it, view), it.base),
    pullRequest=lambda it, view: view.forge.pull(repo_of(it, view), it.number),
)
simple(
    "Repository",
    autoMergeAllowed=lambda repo, view: repo.allow_auto_merge,
    allowUpdateBranch=lambda repo, view: repo.allow_update_branch,
    isArchived=lambda repo, view: repo.archived,
    mergeCommitAllowed=lambda repo, view: "merge" in repo.merge_methods,
    squashMergeAllowed=lambda repo, view: "squash" in repo.merge_methods,
    rebaseMergeAllowed=lambda repo, view: "rebase" in repo.merge_methods,
)
