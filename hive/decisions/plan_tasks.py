"""Who works on what: claims, prompts, and how tasks end.

A claim belongs to hive, not to a prompt: an issue has at most one open task, whatever agents do.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec import structs

from hive.decisions.agent_state import COMPOSER, presses
from hive.decisions.budgets import Accounts, purpose_of
from hive.decisions.contexts import spent
from hive.decisions.conversations import goes_on
from hive.decisions.counting import counted, often
from hive.decisions.hands_off import is_typed_in
from hive.decisions.leases import with_leases
from hive.decisions.lifecycle import is_parked
from hive.decisions.limits import PARKED, can_be_woken, is_limited, may_wake
from hive.decisions.lookup import issue_of, open_tasks, pull_of, sightings, snapshot, task_pull
from hive.decisions.plan_claims import FREE, claims, free_agents
from hive.decisions.policy import Policy, mode_of
from hive.decisions.released import why_withheld
from hive.decisions.rounds import review_claims, round_claims, round_end
from hive.decisions.stalls import interrupt_for, is_beyond_help
from hive.decisions.standing import standing_claims, standing_end
from hive.decisions.task_end import finish
from hive.decisions.task_prompt import go_on_prompt, prompt_for, wake_prompt
from hive.decisions.trees import with_tree
from hive.facts.agents import AgentSighting, AgentSpec, AgentState
from hive.facts.intents import (
    DeliverPrompt,
    FinishTask,
    Intent,
    PressSubmit,
    ReleaseTask,
)
from hive.facts.memory import AgentMemory, IssueMemory, Memory
from hive.facts.screens import ScreenState
from hive.facts.work import Task, TaskState, of_start
from hive.facts.world import World

_FREE_SCREENS = frozenset({ScreenState.READY, ScreenState.FAILED})
_LOST_STATES = frozenset({AgentState.CRASHED, AgentState.FAILED_TO_START, AgentState.HUNG, AgentState.ABSENT})


def task_intents(world: World, memory: Memory, policy: Policy) -> Iterator[Intent]:
    """Everything about tasks: how they end or go on, then new claims for who is free.

    Nothing while the terminal is unseen: a task must not be given back while its agent may be at work.
    """
    if sightings(world) is None:
        return
    accounts = Accounts(memory.spending, policy.budgets, world.now)
    for task in open_tasks(memory):
        if task.agent in world.hidden:
            continue
        next_step = _end(task, world, memory, policy) or _step(task, world, memory, policy)
        if isinstance(next_step, DeliverPrompt):
            next_step = _within_budget(next_step, task, accounts, policy)
        if isinstance(next_step, DeliverPrompt):
            next_step = with_tree(next_step, task, _base(task, world), world, memory, policy)
        if next_step is not None:
            yield next_step
    free = free_agents(world, memory, policy)
    rounds = tuple(round_claims(world, memory, policy, accounts, [spec.name for spec in free]))
    yield from rounds
    taken = {claim.agent for claim in rounds}
    others = [spec.name for spec in free if spec.name not in taken]
    reviews = tuple(review_claims(world, memory, policy, accounts, others))
    yield from reviews
    rounds += reviews
    taken |= {claim.agent for claim in reviews}
    left = [spec for spec in free if spec.name not in taken]
    standing = tuple(standing_claims(world, memory, policy, accounts, left, len(rounds)))
    yield from standing
    left = [spec for spec in left if all(spec.name != claim.agent for claim in standing)]
    given = claims(left, world, memory, policy, accounts, len(rounds) + len(standing))
    yield from with_leases(given, memory, policy, world.now)


def _end(task: Task, world: World, memory: Memory, policy: Policy) -> Intent | None:
    """How an open task ends now, if it does."""
    agent = memory.agents.get(task.agent, AgentMemory())
    if task.is_standing:
        ended: Intent | None = standing_end(task, memory)
    elif task.is_round:
        ended = round_end(task, world, memory, policy)
    else:
        ended = _issue_end(task, agent, world, memory, policy)
    if ended is not None:
        return ended
    issue = memory.issues.get(f"{task.repo}#{task.issue}", IssueMemory())
    if not task.is_standing and issue.killed_agents >= policy.lifecycle.killed_agents:
        return finish(task, "quarantined", f"{counted(issue.killed_agents, 'agent')} crashed on it")
    if is_beyond_help(task) and not _is_held(task, world):
        return _try_again(
            task, world.now, policy, f"its agent was hung or out of context {often(task.setbacks)}"
        )
    if policy.agent(task.agent) is None and task.agent not in policy.retired:
        return _release(task, world.now, policy, "its agent is no longer in the configuration")
    if is_parked(policy.lifecycle, agent) and not _is_held(task, world):
        return _release(task, world.now, policy, "its agent crashed too often and waits for a person")
    if _is_stranded(task, agent, memory, policy):
        return _release(task, world.now, policy, "its agent is not started at this level")
    if is_overdue(task, world, memory, policy) and not _is_held(task, world):
        return _try_again(task, world.now, policy, "it took longer than the deadline")
    return None


def _issue_end(task: Task, agent: AgentMemory, world: World, memory: Memory, policy: Policy) -> Intent | None:
    """How a task on an issue ends by what came of it, or as its issue is gone."""
    pull = task_pull(memory, task)
    if pull is not None and (task.turn or agent.state in _LOST_STATES):
        return finish(task, "pull-request", pull)
    finding = next((one for one in memory.findings if one.is_of(task.id)), None)
    if task.turn:
        return _turn_over(task, finding.id if finding else "", world.now, policy)
    if task.state is TaskState.CLAIMED and _is_gone(task, world):
        return finish(task, "closed", "the issue is no longer open")
    return None


def is_overdue(task: Task, world: World, memory: Memory, policy: Policy) -> bool:
    """Whether a task has taken too long. Its agent is stopped first, then the task is given back.

    Waiting for an account takes no time of the task's: it begins anew when the agent is woken, or started.
    """
    agent = memory.agents.get(task.agent, AgentMemory())
    if not task.is_open or (agent.state in PARKED and agent.task == task.id):
        return False
    begun = max(task.claimed_at, agent.woken_at or task.claimed_at)
    return world.now - begun > policy.lifecycle.deadline


def _is_held(task: Task, world: World) -> bool:
    """Whether the task's agent still has a session, and may be at work in it."""
    return task.agent in (sightings(world) or {})


def _is_stranded(task: Task, agent: AgentMemory, memory: Memory, policy: Policy) -> bool:
    """Whether the level fell before the agent got the prompt, or when its program had ended."""
    spec = policy.agent(task.agent)
    return (
        spec is not None
        and mode_of(policy, memory, task.repo, spec) is None
        and (task.state is TaskState.CLAIMED or agent.state in (*_LOST_STATES, AgentState.NOT_STARTED))
    )


def _turn_over(task: Task, finding: str, now: datetime, policy: Policy) -> Intent:
    if finding:
        return finish(task, "finding", finding)
    if task.turn in ("asked", "refused"):
        return finish(task, task.turn, task.detail)
    return _try_again(task, now, policy, task.detail or "the agent ended without a pull request or a finding")


def _try_again(task: Task, now: datetime, policy: Policy, because: str) -> Intent:
    """Release the issue, or leave it to people after the last attempt. What a pull request needs is bounded
    by kind (`decisions.rounds`)."""
    if task.is_standing:
        return finish(task, "failed", because)
    if not task.is_round and task.attempt >= policy.lifecycle.attempts:
        return finish(task, "failed", f"{task.attempt} attempts: {because}")
    return _release(task, now, policy, because)


def _is_gone(task: Task, world: World) -> bool:
    """Whether the issue was seen to be no longer open."""
    return snapshot(world, task.repo) is not None and issue_of(world, task.repo, task.issue) is None


def _release(task: Task, now: datetime, policy: Policy, because: str) -> ReleaseTask:
    rest = policy.lifecycle.rest * (2 ** min(task.attempt - 1, 16))
    return ReleaseTask(task=task.id, repo=task.repo, issue=task.issue, until=now + rest, because=because)


def _step(task: Task, world: World, memory: Memory, policy: Policy) -> Intent | None:
    """The next thing to do for an open task: type its prompt, press again, give the agent up."""
    seen = sightings(world)
    spec = policy.agent(task.agent)
    if seen is None or spec is None:
        return None
    sighting = seen.get(spec.name)
    agent = memory.agents.get(spec.name, AgentMemory())
    if sighting is None or not sighting.alive or sighting.pane.dead or agent.restart_wanted:
        return None
    if is_typed_in(sighting, policy.lifecycle, world.now):
        return None
    if agent.state in PARKED:
        is_half_sent = agent.wakes > 0 and task.state is TaskState.PROMPTED and can_be_woken(sighting)
        press = _insist(task, sighting, spec, world, policy) if is_half_sent else None
        return press or _wake(task, sighting, spec, world, memory, policy)
    traits = policy.traits[spec.backend]
    prompt_id = f"{task.id}/{agent.generation}"
    if of_start(task.prompt_id) != prompt_id or task.state is TaskState.CLAIMED:
        if is_limited(memory, spec.shares, world.now) or spent(
            spec, agent, task, policy.traits[spec.backend]
        ):
            return None
        if agent.state in FREE and sighting.screen.state in _FREE_SCREENS:
            return _give(task, prompt_id, spec, world, memory, policy)
        return None
    if task.state is TaskState.PROMPTED:
        return _insist(task, sighting, spec, world, policy)
    return interrupt_for(task, sighting, agent.state, traits, policy.lifecycle, world.now)


def _give(
    task: Task, prompt_id: str, spec: AgentSpec, world: World, memory: Memory, policy: Policy
) -> DeliverPrompt | ReleaseTask | None:
    """The prompt, unless it would have words in it that nobody approved: then the issue is judged anew."""
    prompt = _deliver(task, prompt_id, spec, world, memory, policy)
    issue = issue_of(world, task.repo, task.issue)
    if prompt is None or prompt.goes_on or issue is None:
        return prompt
    withheld = why_withheld(task, issue, policy.triage)
    return _release(task, world.now, policy, withheld) if withheld else prompt


def _deliver(
    task: Task, prompt_id: str, spec: AgentSpec, world: World, memory: Memory, policy: Policy
) -> DeliverPrompt | None:
    agent = memory.agents.get(spec.name, AgentMemory())
    text = prompt_for(task, prompt_id, spec, world, memory, policy)
    if text is None:
        return None
    resumed = goes_on(task, agent)
    because = f"{task.repo}#{task.issue}, attempt {task.attempt}"
    return DeliverPrompt(
        task=task.id,
        agent=spec.name,
        prompt_id=prompt_id,
        text=go_on_prompt(task, prompt_id) if resumed else text,
        generation=agent.generation,
        goes_on=resumed,
        because=f"{because}: it goes on where it was ended" if resumed else because,
    )


def _base(task: Task, world: World) -> str:
    look = snapshot(world, task.repo)
    pull = pull_of(world, task.repo, task.issue) if task.is_round else None
    if pull is not None and pull.base:
        return pull.base
    return look.default_branch if look is not None else ""


def _wake(
    task: Task, sighting: AgentSighting, spec: AgentSpec, world: World, memory: Memory, policy: Policy
) -> DeliverPrompt | ReleaseTask | None:
    """Tell an agent that waited for its account to go on. A menu is not typed into: see `plan_agents`."""
    agent = memory.agents.get(spec.name, AgentMemory())
    if task.turn or not can_be_woken(sighting) or not may_wake(spec, agent, memory, world.now):
        return None
    number = agent.wakes + 1
    prompt_id = f"{task.id}/{agent.generation}+{number}"
    had = task.state is not TaskState.CLAIMED
    get = _deliver if had else _give
    prompt = get(task, prompt_id, spec, world, memory, policy)
    if not isinstance(prompt, DeliverPrompt):
        return prompt
    text = wake_prompt(task, prompt_id) if had else prompt.text
    return structs.replace(
        prompt, text=text, goes_on=had, wakes=number, because="its account's limit should be over"
    )


def _insist(
    task: Task, sighting: AgentSighting, spec: AgentSpec, world: World, policy: Policy
) -> PressSubmit | None:
    """The prompt was typed and nothing shows that it arrived: press again. An agent that still takes none
    is hung (see `agent_state.takes_no_prompt`) and given up as such."""
    submission = policy.traits[spec.backend].submission
    assert task.prompted_at is not None
    waited = world.now - task.prompted_at
    pressed = presses(sighting)
    # The banner of a limit still stands while a waking waits to be submitted.
    is_waking = of_start(task.prompt_id) != task.prompt_id
    if (
        not (sighting.screen.state in COMPOSER or (is_waking and can_be_woken(sighting)))
        or pressed >= submission.tries
        or waited < submission.patience * (pressed + 1)
    ):
        return None
    return PressSubmit(
        agent=spec.name,
        prompt_id=task.prompt_id,
        attempt=pressed + 1,
        because=f"no sign of the prompt after {int(waited.total_seconds())} s",
    )


def _within_budget(
    prompt: DeliverPrompt, task: Task, accounts: Accounts, policy: Policy
) -> DeliverPrompt | FinishTask | None:
    """The prompt, where no hard limit forbids it. A task whose own budget is spent has come to its end."""
    spec = policy.agent(task.agent)
    subject = task.about_issue or task.issue
    over = accounts.over(purpose_of(spec, task.repo, subject, task.id)) if spec is not None else None
    if over is None:
        return prompt
    return finish(task, "failed", over.why) if over.budget.per_task else None
