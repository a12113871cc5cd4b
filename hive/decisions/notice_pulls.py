"""What became of agents' pull requests: events out of one look."""

from __future__ import annotations

from collections.abc import Iterator

from hive.decisions.lookup import label_of, reverted
from hive.decisions.merging import judge_here
from hive.decisions.peers import peer_reviews
from hive.decisions.policy import Policy
from hive.decisions.recall_rounds import ANY_HEAD
from hive.facts import events as e
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.memory import Memory
from hive.facts.world import World


def opened_unrecorded(look: RepositorySnapshot, memory: Memory, policy: Policy) -> Iterator[e.Event]:
    """Pull requests of hive's agents that the journal does not have: hive ended between act and record."""
    for pull in (*look.pull_requests, *look.recent):
        key = f"{look.repo}#{pull.number}"
        if key in memory.pulls or not _is_ours(pull, policy):
            continue
        undone = memory.pulls.get(f"{look.repo}#{reverted(pull)}")
        if undone is not None:
            yield _opened(look, pull, policy, agent=undone.agent, reverts=reverted(pull))
            continue
        task = next((one for one in memory.tasks.values() if one.branch == pull.head_ref), None)
        if task is None or task.repo.casefold() != look.repo.casefold():
            continue
        yield _opened(look, pull, policy, agent=task.agent, issue=task.issue, task=task.id)


def _opened(
    look: RepositorySnapshot,
    pull: PullRequest,
    policy: Policy,
    *,
    agent: str,
    issue: int | None = None,
    task: str = "",
    reverts: int = 0,
) -> e.PullRequestOpened:
    return e.PullRequestOpened(
        repo=look.repo,
        number=pull.number,
        agent=agent,
        head_ref=pull.head_ref,
        head=pull.head or "",
        held=label_of(pull, policy.hold_label) is not None,
        issue=issue,
        task=task,
        reverts=reverts,
    )


def _is_ours(pull: PullRequest, policy: Policy) -> bool:
    """On hive's own account and from a branch of this very repository: a fork may name its as it likes."""
    author = pull.author.login if pull.author else ""
    return (
        (pull.head_ref.startswith("hive/") or reverted(pull) > 0)
        and author.casefold() == policy.account.casefold()
        and (pull.head_repo is None or pull.head_repo.casefold() == pull.repo.casefold())
    )


def judged(look: RepositorySnapshot, world: World, memory: Memory, policy: Policy) -> Iterator[e.Event]:
    for pull in look.pull_requests:
        known = memory.pulls.get(f"{look.repo}#{pull.number}")
        if known is None:
            continue
        judgement = judge_here(pull, look.repo, memory, policy, world.now)
        obstacles = tuple((str(one.code), one.subject or "", one.because) for one in judgement.obstacles)
        if (known.verdict, known.judged) != (judgement.verdict, obstacles):
            yield e.PullRequestJudged(
                repo=look.repo,
                number=pull.number,
                head=pull.head or "",
                verdict=judgement.verdict,
                obstacles=obstacles,
            )


def ended(look: RepositorySnapshot, memory: Memory) -> Iterator[e.Event]:
    # The open one of two sightings counts: it came first.
    seen = {pull.number: pull for pull in (*look.recent, *look.pull_requests)}
    for number, pull in seen.items():
        repo = look.repo
        known = memory.pulls.get(f"{repo}#{number}")
        if known is None or known.state not in ("open", "merged") or known.merge_commit:
            continue
        if pull.state == "open":
            if known.queued_head and pull.queued is None and pull.dequeued:
                head = known.queued_head
                yield e.PullRequestDequeued(repo=repo, number=number, head=head, reason=pull.dequeued)
        elif known.state == "open" or pull.merge_commit:
            yield e.PullRequestEnded(
                repo=repo,
                number=number,
                state=pull.state,
                commit=pull.merge_commit,
                base=pull.base or "",
            )


def pushed_by_others(look: RepositorySnapshot, memory: Memory) -> Iterator[e.Event]:
    """Pull requests with a head that hive let nobody push: a person works on the branch."""
    for pull in look.pull_requests:
        known = memory.pulls.get(f"{look.repo}#{pull.number}")
        if known is None or known.left or not known.heads or not pull.head or pull.head in known.heads:
            continue
        if ANY_HEAD in known.heads:
            yield e.PullRequestAdvanced(repo=look.repo, number=pull.number, head=pull.head)
        else:
            because = f"{pull.head[:12]} was pushed to {pull.head_ref} by somebody else than its agent"
            yield e.PullRequestLeft(repo=look.repo, number=pull.number, head=pull.head, because=because)


def reviewed(look: RepositorySnapshot, memory: Memory, policy: Policy) -> Iterator[e.PullRequestReviewed]:
    """Reviews by other agents that the journal does not have."""
    for number, details in look.details.items():
        known = memory.pulls.get(f"{look.repo}#{number}")
        if known is None:
            continue
        seen = {one.key for one in known.peers}
        for _, said in peer_reviews(known, details, policy):
            if said.key not in seen:
                yield e.PullRequestReviewed(
                    repo=look.repo,
                    number=number,
                    agent=said.agent,
                    head=said.head,
                    verdict=said.verdict,
                    key=said.key,
                )
