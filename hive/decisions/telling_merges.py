"""What hive does on the forge, what merges came to, and merging on hold, in words for a person."""

from __future__ import annotations

from typing import assert_never

from hive.decisions.recall_merges import Merges
from hive.facts.events import (
    MergeChecked,
    MergingHeld,
    MergingReleased,
    PullRequestAdvanced,
    PullRequestDequeued,
    PullRequestLeft,
    PullRequestReviewed,
    PullRequestTakenUp,
)
from hive.facts.intents import (
    DeleteBranch,
    DequeuePullRequest,
    EnqueuePullRequest,
    HoldPullRequest,
    LiftHold,
    MergePullRequest,
    OpenRevert,
    UpdateBranch,
)
from hive.facts.on_forge import OnForge

MEANT = {
    "hold": "hold",
    "lift": "lifting of the hold",
    "merge": "merge",
    "enqueue": "way into the merge queue",
    "dequeue": "way out of the merge queue",
    "delete-branch": "deletion of the branch",
    "update-branch": "update from the base",
    "revert": "pull request that undoes it",
}
"""What hive does on the forge, by the first part of an intent's id."""


def of_merges(event: Merges) -> str:
    match event:
        case MergeChecked(repo=repo, number=number, base=base, commit=commit, outcome=outcome):
            failed = ", ".join(event.failed)
            said = {
                "green": f"{base} is green with {repo}#{number} ({commit[:12]})",
                "red": f"{base} is broken since {repo}#{number} was merged ({commit[:12]}): {failed} failed",
                "red-before": f"{base} was broken before {repo}#{number} was merged, and still is: {failed}",
                "unknown": f"the checks of {base} with {repo}#{number} ({commit[:12]}) never reported",
            }
            return said.get(outcome, outcome)
        case MergingHeld(repo=repo, because=because, by=by):
            return f"merging is on hold in {repo}{f' by {by}' if by else ''}: {because}"
        case MergingReleased(repo=repo, because=because, by=by):
            return f"merging goes on in {repo}{f' by {by}' if by else ''}: {because}"
        case PullRequestDequeued(repo=repo, number=number, reason=reason):
            return f"the merge queue gave {repo}#{number} back: {reason}"
        case PullRequestAdvanced(head=head):
            return f"{event.subject} is at {head[:12]} now"
        case PullRequestLeft(because=because):
            return f"{event.subject} is left to people: {because}"
        case PullRequestReviewed(agent=agent, head=head, verdict=verdict):
            words = "finds nothing against" if verdict == "fine" else "asks for changes of"
            return f"{agent} {words} {event.subject} at {head[:12]}"
        case PullRequestTakenUp(by=by, why=why):
            return f"{by} has {event.subject} gone on with{f': {why}' if why else ''}"
        case _:
            assert_never(event)


def doing_on_forge(intent: OnForge) -> str:
    at = f"{intent.repo}#{intent.number}"
    match intent:
        case HoldPullRequest(label=label):
            return f"putting the hold '{label}' on {at}"
        case LiftHold(label=label):
            return f"lifting the hold '{label}' of {at}"
        case MergePullRequest(head=head, base=base):
            return f"merging {at} at {head[:8]} into {base}"
        case EnqueuePullRequest(head=head, base=base):
            return f"putting {at} at {head[:8]} into the merge queue of {base}"
        case DequeuePullRequest():
            return f"taking {at} out of the merge queue"
        case DeleteBranch(branch=branch):
            return f"deleting the branch {branch}, which {at} was merged from"
        case UpdateBranch():
            return f"merging the newest base into {at}"
        case OpenRevert():
            return f"opening a pull request that undoes {at}"
        case _:
            assert_never(intent)
