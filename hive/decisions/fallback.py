"""What an agent runs on: its own program while its account lasts, else the next that it may fall back on.

It changes when what it runs on is limited, or when something before that in its list is free again; at
work it is left alone. Each change takes a limit that was met anew: nothing flaps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from hive.decisions.limits import PARKED, is_limited
from hive.decisions.policy import Policy
from hive.facts.agents import AgentSpec, AgentState
from hive.facts.alternatives import Alternative
from hive.facts.memory import AgentMemory, Memory
from hive.facts.work import TaskState

_WORTH = timedelta(minutes=2)
"""A limit that ends sooner is waited for: a new program and the whole prompt again would take as long."""


def in_force(policy: Policy, agents: Mapping[str, AgentMemory]) -> Policy:
    """The policy with each agent as its newest start has it; the very same where none fell back."""
    taken = tuple(_as_started(spec, agents) for spec in policy.agents)
    if all(one is spec for one, spec in zip(taken, policy.agents, strict=True)):
        return policy
    return replace(policy, agents=taken)


def _as_started(spec: AgentSpec, agents: Mapping[str, AgentMemory]) -> AgentSpec:
    known = agents.get(spec.name) if spec.choices else None
    return spec if known is None else spec.taking(known.choice)


def wanted_choice(spec: AgentSpec, known: AgentMemory, memory: Memory, now: datetime) -> int:
    """What the agent is to run on now, as a place in `spec.choices`; `spec` is the one in force."""
    if not spec.choices or _is_at_work(spec, known, memory, now):
        return spec.choice
    free = next((n for n, one in enumerate(spec.choices) if not is_limited(memory, one.shares, now)), None)
    if free is None or (free > spec.choice and not _is_worth_it(spec, memory, now)):
        return spec.choice
    return free


def why_changed(spec: AgentSpec, choice: int, memory: Memory) -> str:
    """One sentence on a change to `choice`, for a person."""
    target = spec.choices[choice].label
    if choice < spec.choice:
        return f"back to {target}, whose limit should be over"
    return f"it falls back on {target}: {_limit_said(spec.choices[spec.choice], memory)}"


def standing(spec: AgentSpec, memory: Memory) -> str:
    """What it fell back on and why; empty while it runs on its own."""
    if not spec.choice:
        return ""
    own = spec.choices[0]
    return f"on {spec.choices[spec.choice].label}: {_limit_said(own, memory)}"


def keeps_conversation(spec: AgentSpec, choice: int) -> bool:
    """Whether `choice` can go on with what the agent has said so far: the same program by the same way.

    What it falls back from ended in a refusal. Programs draw that again when they go on with it (seen with
    Claude Code), and it would be read as one of the fallback's own.
    """
    if choice == spec.choice or not spec.choices:
        return True
    if choice > spec.choice:
        return False
    taken = spec.choices[choice]
    return (taken.backend, taken.provider, taken.command) == (spec.backend, spec.provider, spec.command)


def _is_at_work(spec: AgentSpec, known: AgentMemory, memory: Memory, now: datetime) -> bool:
    """Whether it has been told of an open task, and does not merely wait for its account."""
    task = memory.tasks.get(known.task)
    if task is None or not task.is_open or task.state is TaskState.CLAIMED:
        return False
    if known.state == AgentState.ABSENT and is_limited(memory, spec.shares, now):
        return False  # stopped to fall back: what starts now is not to be the limited one again
    return known.state not in PARKED


def _is_worth_it(spec: AgentSpec, memory: Memory, now: datetime) -> bool:
    limit = memory.limits.get(spec.shares)
    return limit is not None and limit.retry_at - now > _WORTH


def _limit_said(one: Alternative, memory: Memory) -> str:
    limit = memory.limits.get(one.shares)
    if limit is None:
        return f"{one.label} was limited"
    what = "out of credit" if limit.limit == "out-of-credit" else "limited"
    return f"{one.label} is {what} until {limit.retry_at:%Y-%m-%d %H:%M} UTC"
