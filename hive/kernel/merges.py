"""Merging and what belongs to it, by the forge port. Each runs in the forge's lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from hive.errors import Moved
from hive.facts import intents as i
from hive.facts.forge import PullRequest
from hive.ports.forge import Forge


@dataclass(frozen=True, slots=True)
class MergeRules:
    """`objections`: what the merge gate has against a pull request now; empty where it may be merged."""

    method: Callable[[str], str]
    objections: Callable[[PullRequest], tuple[str, ...]]


def carry_out_merge(
    intent: i.MergePullRequest
    | i.EnqueuePullRequest
    | i.DequeuePullRequest
    | i.DeleteBranch
    | i.OpenRevert
    | i.UpdateBranch,
    forge: Forge,
    rules: MergeRules,
) -> str:
    """What came of it, in a word. Raises as the port does, and `Moved` where the gate says no by now."""
    repo, number = intent.repo, intent.number
    match intent:
        case i.MergePullRequest(head=head):
            _judge_again(intent, forge, rules)
            marker = f"hive: {intent.id}"
            commit = forge.merge(repo, number, head=head, method=rules.method(repo), marker=marker)
            return f"merged as {commit[:12]}"
        case i.EnqueuePullRequest(head=head, base=base):
            _judge_again(intent, forge, rules)
            forge.enqueue(repo, number, head=head)
            return f"in the merge queue of {base}"
        case i.DequeuePullRequest():
            forge.dequeue(repo, number)
            return "out of the merge queue"
        case i.DeleteBranch(branch=branch, head=head):
            forge.delete_branch(repo, branch, head=head)
            return f"branch {branch}"
        case i.UpdateBranch(head=head):
            forge.update_branch(repo, number, head=head)
            return "its base is being merged into it"
        case i.OpenRevert(title=title, body=body):
            made = forge.revert(repo, number, title=title, body=f"{body}\n\n<!-- hive: {intent.id} -->")
            return f"#{made.number} undoes it"
        case _ as never:
            assert_never(never)


def _judge_again(intent: i.MergePullRequest | i.EnqueuePullRequest, forge: Forge, rules: MergeRules) -> None:
    """Look once more and judge once more: a hold may have come since the look."""
    pull = forge.pull_request(intent.repo, intent.number)
    objections = rules.objections(pull)
    if pull.state != "open" or pull.head != intent.head or objections:
        because = "; ".join(objections) or f"it is {pull.state} at {pull.head}"
        raise Moved("forge", f"it changed since it was judged: {because}")
