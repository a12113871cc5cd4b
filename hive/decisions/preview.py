"""What an agent would get for something now: the very text, before it is typed."""

from __future__ import annotations

from dataclasses import dataclass

from hive.decisions.lookup import open_tasks, snapshot, split_key
from hive.decisions.plan_claims import issue_claim, waiting
from hive.decisions.policy import Policy, mode_of
from hive.decisions.recall_rounds import task_of
from hive.decisions.rounds import wanted
from hive.decisions.rounds.claims import claim_of, taker
from hive.decisions.rounds.review_claims import review_wanted, reviewers
from hive.decisions.task_prompt import prompt_for
from hive.facts.agents import AgentSpec
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.memory import AgentMemory, Memory
from hive.facts.work import Task
from hive.facts.world import World


@dataclass(frozen=True, slots=True)
class Preview:
    """Attributes:
    agent: Who has the task, or would be first to get it.
    remark: What may differ once it is sent; empty for nothing.
    """

    agent: str
    text: str
    remark: str = ""


def preview(subject: str, world: World, memory: Memory, policy: Policy) -> Preview | str:
    """The prompt for a task by its id, or for what ``o/r#7`` is; or why there is none."""
    found = _open_task(subject, memory)
    remark = "" if found is not None and found.id in memory.trees else "its working copy is not made yet"
    task = found or _next_task(subject, world, memory, policy)
    if isinstance(task, str):
        return task
    spec = policy.agent(task.agent)
    if spec is None:
        return f"its agent {task.agent} is no longer configured"
    generation = memory.agents.get(spec.name, AgentMemory()).generation
    prompt_id = task.prompt_id or f"{task.id}/{generation}"
    text = prompt_for(task, prompt_id, spec, world, memory, policy)
    if text is None:
        return f"{task.repo}#{task.issue} is not seen now, or {spec.name} is not started there"
    return Preview(spec.name, text, remark)


def _open_task(subject: str, memory: Memory) -> Task | None:
    folded = subject.casefold()
    return next(
        (one for one in open_tasks(memory) if folded in (one.id, f"{one.repo}#{one.issue}".casefold())), None
    )


def _next_task(subject: str, world: World, memory: Memory, policy: Policy) -> Task | str:
    """The task that would be given next for an issue or pull request."""
    repo, number = split_key(subject) if subject.rpartition("#")[2].isdecimal() else ("", 0)
    repo = next((one for one in world.repos if one.casefold() == repo.casefold()), "")
    look = snapshot(world, repo) if repo else None
    if look is None:
        return f"{subject[:80]} is no open task, and no issue or pull request that hive sees now"
    pull = next((one for one in look.pull_requests if one.number == number), None)
    if pull is not None:
        return _pull_task(pull, look, world, memory, policy)
    return _issue_task(repo, number, world, memory, policy)


def _pull_task(
    pull: PullRequest, look: RepositorySnapshot, world: World, memory: Memory, policy: Policy
) -> Task | str:
    key = f"{look.repo}#{pull.number}"
    known = memory.pulls.get(key)
    if known is None:
        return f"{key} is no pull request of an agent that may go on with it"
    review = review_wanted(pull, look, world.now, memory, policy)
    for other in reviewers(known, look.repo, memory, policy) if review is not None else ():
        assert review is not None
        return task_of(claim_of(review, pull, known, other, look.repo, memory), world.now)
    spec = taker(known, look.repo, memory, policy)
    if spec is None:
        return f"{key} is no pull request of an agent that may go on with it"
    for need in wanted(pull, look, memory, policy):
        return task_of(claim_of(need, pull, known, spec, look.repo, memory), world.now)
    return f"{key} needs nothing of {spec.name} now"


def _issue_task(repo: str, number: int, world: World, memory: Memory, policy: Policy) -> Task | str:
    found = next((one for one in waiting(world, memory, policy)[repo] if one.item.number == number), None)
    if found is None:
        return f"{repo}#{number} is no eligible issue that waits; see: hive work"
    spec = _first(repo, found.item.lane, memory, policy)
    if spec is None:
        return f"no agent may take {repo}#{number}"
    return task_of(issue_claim(spec, repo, found, memory), world.now)


def _first(repo: str, lane: str | None, memory: Memory, policy: Policy) -> AgentSpec | None:
    return next(
        (
            spec
            for spec in policy.agents
            if repo in spec.repos
            and (not spec.lanes or lane in spec.lanes)
            and mode_of(policy, memory, repo, spec) is not None
        ),
        None,
    )
