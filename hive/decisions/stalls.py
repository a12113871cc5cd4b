"""Agents that are at work and give no sign of it: interrupted once, then started anew, then relieved of the
task.

Slow is not hung: as long as the screen says anything new, the transcript grows, processes come and go or use
the CPU, an agent is left alone until its deadline.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from hive.contracts.backend import BackendTraits
from hive.decisions.durations import spell
from hive.decisions.lifecycle import LifecyclePolicy
from hive.facts.agents import AgentSighting, AgentState
from hive.facts.intents import InterruptAgent
from hive.facts.screens import ScreenState
from hive.facts.work import Task, TaskState

_AFTER_INTERRUPT = timedelta(seconds=30)
"""An interrupt that does anything shows within seconds."""
SETBACKS = 2
"""Hung, or out of context, so often in one task: another attempt may do better."""


def is_stalled(sighting: AgentSighting, state: str, policy: LifecyclePolicy, now: datetime) -> bool:
    """Whether it is at work by its own word and has given no sign of it for `hung_after`.

    One that says it tries again after a refusal is waiting for somebody else.
    """
    return (
        state == AgentState.WORKING
        and sighting.screen.state is not ScreenState.RETRYING
        and sighting.working_since is not None
        and now - sighting.working_since >= policy.hung_after
    )


def hung(
    task: Task,
    sighting: AgentSighting,
    state: AgentState,
    traits: BackendTraits,
    policy: LifecyclePolicy,
    now: datetime,
) -> str:
    """Why the agent of a task that it was told of counts as hung; empty while it does not, or may still be
    interrupted."""
    interrupted = task.interrupted_at
    if is_stalled(sighting, state, policy, now):
        for_long = f"no sign of work for {spell(policy.hung_after)}"
        if not traits.interrupt:
            return for_long
        if interrupted is not None and now - interrupted >= _AFTER_INTERRUPT:
            return f"{for_long}, and an interrupt did nothing"
    # An interrupt may leave a screen on which nothing can be typed: the prompt back in the composer, say.
    no_way_on = state is AgentState.BLOCKED and interrupted is not None and not task.turn
    if no_way_on and interrupted is not None and now - interrupted >= _AFTER_INTERRUPT:
        return "no way on after an interrupt"
    return ""


def interrupt_for(
    task: Task,
    sighting: AgentSighting,
    state: str,
    traits: BackendTraits,
    policy: LifecyclePolicy,
    now: datetime,
) -> InterruptAgent | None:
    """The one interrupt that a prompt's turn may get. A person who looks on may do it himself."""
    if (
        task.state is not TaskState.WORKING
        or task.turn
        or task.interrupted_at is not None
        or not traits.interrupt
        or sighting.pane.attached
        or not is_stalled(sighting, state, policy, now)
    ):
        return None
    return InterruptAgent(
        agent=task.agent,
        task=task.id,
        prompt_id=task.prompt_id,
        because=f"no sign of work for {spell(policy.hung_after)}: screen, transcript, processes and their "
        "CPU time are unchanged",
    )


def is_beyond_help(task: Task) -> bool:
    """Whether the task has held up its agent too often to be gone on with."""
    return task.setbacks >= SETBACKS
