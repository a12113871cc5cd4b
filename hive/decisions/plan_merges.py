"""Merges, merge queues, and what follows a merge: the branch deleted, a broken base reverted."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.lookup import is_taken
from hive.decisions.merge_gate import Judgement, MergeVerdict, ObstacleCode
from hive.decisions.merging import judge_here, judge_intended, red_now
from hive.decisions.policy import Policy, mode_of
from hive.facts.autonomy import Mode
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.intents import (
    DeleteBranch,
    DequeuePullRequest,
    EnqueuePullRequest,
    Intent,
    MergePullRequest,
    OpenRevert,
    UpdateBranch,
)
from hive.facts.memory import Memory
from hive.facts.world import World

_GREEN = "green, and its agent's mode is full"


def merge_of(
    pull: PullRequest, repo: str, world: World, memory: Memory, policy: Policy
) -> MergePullRequest | EnqueuePullRequest | None:
    """The merge, or the way into its base's merge queue; None while anything is against it."""
    judgement = judge_intended(pull, repo, memory, policy, world.now)
    if judgement.verdict is not MergeVerdict.MERGE or pull.base is None or pull.head is None:
        return None
    red = red_now(pull, repo, policy)
    if pull.rules is not None and pull.rules.queue:
        if pull.queued is not None:
            return None
        return EnqueuePullRequest(
            repo=repo, number=pull.number, head=pull.head, base=pull.base, because=_GREEN, red_before=red
        )
    return MergePullRequest(
        repo=repo, number=pull.number, head=pull.head, base=pull.base, because=_GREEN, red_before=red
    )


def update_of(
    pull: PullRequest, repo: str, world: World, memory: Memory, policy: Policy
) -> UpdateBranch | None:
    """The newest base into the head, where that alone keeps it from being merged. One that is held stays as
    the person sees it."""
    known = memory.pulls.get(f"{repo}#{pull.number}")
    if known is None or known.left or not pull.head or is_taken(pull, repo, memory):
        return None
    if not _is_only_behind(judge_intended(pull, repo, memory, policy, world.now)):
        return None  # guardrails would only add to it
    judgement = judge_here(pull, repo, memory, policy, world.now)
    if not _is_only_behind(judgement):
        return None
    return UpdateBranch(repo=repo, number=pull.number, head=pull.head, because=judgement.obstacles[0].because)


def _is_only_behind(judgement: Judgement) -> bool:
    codes = {one.code for one in judgement.obstacles}
    return codes == {ObstacleCode.BEHIND}


def out_of_queue(
    pull: PullRequest,
    mode: Mode | None,
    repo: str,
    world: World,
    memory: Memory,
    policy: Policy,
) -> DequeuePullRequest | None:
    """Out of the queue again, where hive put it in and would not now."""
    known = memory.pulls.get(f"{repo}#{pull.number}")
    if pull.queued is None or pull.head is None or known is None or not known.queued_head:
        return None
    judgement = judge_here(pull, repo, memory, policy, world.now)
    against = [one.because for one in judgement.obstacles if not one.clears_by_itself]
    if mode is not Mode.FULL:
        against.insert(0, "its agent's mode is not full any more")
    if not against:
        return None
    return DequeuePullRequest(repo=repo, number=pull.number, head=pull.head, because="; ".join(against)[:500])


def after_merges(look: RepositorySnapshot, memory: Memory, policy: Policy) -> Iterator[Intent]:
    """What is left to do about merged pull requests of this repository."""
    yield from _branches(look, memory, policy)
    yield from _revert(look, memory, policy)


def _branches(look: RepositorySnapshot, memory: Memory, policy: Policy) -> Iterator[DeleteBranch]:
    """Branches of hive's own that were seen merged, where no other pull request is open from or onto them."""
    if not policy.merge[look.repo].delete_branch:
        return
    in_use = {pull.head_ref for pull in look.pull_requests} | {str(pull.base) for pull in look.pull_requests}
    for pull in look.recent:
        known = memory.pulls.get(f"{look.repo}#{pull.number}")
        if known is None or pull.state != "merged" or known.branch_settled or not known.merge_commit:
            continue
        is_own = pull.head_ref == known.head_ref and (pull.head_repo or look.repo) == look.repo
        if is_own and pull.head and pull.head_ref not in {*in_use, look.default_branch}:
            yield DeleteBranch(
                repo=look.repo,
                number=pull.number,
                head=pull.head,
                branch=pull.head_ref,
                because=f"#{pull.number} was merged from it",
            )


def _revert(look: RepositorySnapshot, memory: Memory, policy: Policy) -> Iterator[OpenRevert]:
    """Once for each merge that broke its base, where its agent may open pull requests here."""
    hold = memory.merging.get(look.repo)
    if hold is None or hold.by or not hold.number:
        return
    key = f"{look.repo}#{hold.number}"
    blamed = memory.pulls.get(key)
    spec = policy.agent(blamed.agent) if blamed is not None else None
    is_there = any(
        one.reverts == hold.number and other.rpartition("#")[0] == look.repo
        for other, one in memory.pulls.items()
    )
    if blamed is None or blamed.reverts or spec is None or is_there or blamed.merge_commit != hold.commit:
        return
    if mode_of(policy, memory, look.repo, spec) not in (Mode.HOLDGATED, Mode.FULL):
        return
    title = next((pull.title for pull in look.recent if pull.number == hold.number), "")
    yield OpenRevert(
        repo=look.repo,
        number=hold.number,
        head=hold.commit,
        title=f'Revert "{title}"' if title else f"Revert #{hold.number}",
        body=f"{hold.because}.\n\nThis undoes #{hold.number}, so that {hold.base} is green again.",
        because=hold.because,
    )
