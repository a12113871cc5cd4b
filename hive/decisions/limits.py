"""Limits that a model's provider sets: who waits, until when, and who tries first.

A limit is the account's: who meets it first stands for all agents of the account. That one is parked with its
task, woken once when the limit should be over, and proves by its work that it is; until then the others get
nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from hive.decisions.recall_crashes import PROVEN
from hive.facts.agents import AgentSighting, AgentSpec, AgentState
from hive.facts.memory import AgentMemory, Memory
from hive.facts.models import ModelProblem
from hive.facts.screens import Screen, ScreenState
from hive.facts.spending import AccountLimit
from hive.facts.usage_events import LimitEnded, LimitSeen
from hive.facts.work import Task

PARKED = frozenset({AgentState.LIMITED, AgentState.OUT_OF_CREDIT})
"""States in which an agent waits for its account: it keeps its task, gets no prompt, is not started anew."""
_REFUSING = frozenset({ScreenState.LIMITED, ScreenState.OUT_OF_CREDIT})
_MARGIN = timedelta(seconds=30)
"""After the moment that a screen names: clocks differ, and to the minute is all that screens tell."""
_ANSWERING = timedelta(seconds=60)
"""So long a woken agent may take to show what became of it."""
_PROVING = timedelta(minutes=3)
"""So long the one that met the limit tries alone; then the others try as well."""
_SAME_CLOCK = timedelta(minutes=1)
_DAY = timedelta(days=1)
_PATIENCE = {
    AgentState.LIMITED: (timedelta(minutes=5), timedelta(hours=1)),
    AgentState.OUT_OF_CREDIT: (timedelta(minutes=15), timedelta(hours=6)),
}
"""First and longest wait where no end is known; doubled for each refusal."""


def is_limited(memory: Memory, account: str, now: datetime) -> bool:
    """Whether agents of `account` get nothing new to do."""
    limit = memory.limits.get(account)
    return limit is not None and now < limit.retry_at + _PROVING


def can_be_woken(sighting: AgentSighting) -> bool:
    """Whether its screen refuses and takes a prompt nevertheless: a menu does not."""
    return sighting.screen.state in _REFUSING and not sighting.screen.options


def may_wake(spec: AgentSpec, agent: AgentMemory, memory: Memory, now: datetime) -> bool:
    """Whether a parked agent is to try again now; once for each refusal."""
    limit = memory.limits.get(spec.shares)
    if agent.woken_at is not None and now - agent.woken_at < _ANSWERING:
        return False
    if is_over_budget(agent):
        # The plan knows most budgets itself; one for a model that the program chose is known by asking.
        assert agent.model is not None
        return now >= agent.model.at + _PATIENCE[AgentState.OUT_OF_CREDIT][0]
    if limit is None:
        return True
    if agent.woken_at is not None and agent.woken_at > limit.seen_at:
        return False
    return now >= limit.retry_at + (timedelta() if limit.agent == spec.name else _PROVING)


def is_over_budget(agent: AgentMemory) -> bool:
    """Whether it was hive's own budget that refused its last request to a model."""
    return agent.model is not None and agent.model.problem is ModelProblem.OVER_BUDGET


def limit_news(
    spec: AgentSpec,
    sighting: AgentSighting,
    state: AgentState,
    known: AgentMemory,
    memory: Memory,
    now: datetime,
) -> Iterator[LimitSeen | LimitEnded]:
    """That an account's limit was met, met again, or proved to be over."""
    limit = memory.limits.get(spec.shares)
    stated = _stated(sighting, known)
    if state in PARKED:
        # Hive's own refusal says nothing about the account: others of it may have money left.
        if not is_over_budget(known) and _is_refused(spec, limit, stated, known, now):
            said = known.model.detail if known.model is not None else sighting.screen.detail
            screen = replace(sighting.screen, resets_at=stated, detail=said)
            yield _seen(spec, state, screen, known, limit, now)
    elif limit is not None and (
        _is_proof(spec, sighting, limit, known, now)
        or _ended_well(sighting, memory.tasks.get(known.task), limit)
    ):
        yield LimitEnded(agent=spec.name, account=spec.shares)


def _stated(sighting: AgentSighting, known: AgentMemory) -> datetime | None:
    """When the limit ends: in the words on the screen, else as the provider told hive's relay."""
    if sighting.screen.resets_at is not None:
        return sighting.screen.resets_at
    told = known.model
    return told.until if told is not None and told.problem is ModelProblem.LIMITED else None


def _is_refused(
    spec: AgentSpec, limit: AccountLimit | None, stated: datetime | None, known: AgentMemory, now: datetime
) -> bool:
    """Whether what is on the screen is a refusal that the journal does not have."""
    if known.woken_at is not None and now - known.woken_at < _ANSWERING:
        return False
    if limit is None or (known.woken_at is not None and known.woken_at > limit.seen_at):
        return True
    if known.state not in PARKED:
        return now >= limit.retry_at or (stated is not None and stated > limit.retry_at + _SAME_CLOCK)
    # A screen that says only now when it ends; not one whose words were read before, and were over.
    is_news = stated is not None and stated > now and not _is_same_clock(limit.stated, stated)
    return is_news and limit.until is None and limit.agent == spec.name


def _seen(
    spec: AgentSpec,
    state: AgentState,
    screen: Screen,
    known: AgentMemory,
    limit: AccountLimit | None,
    now: datetime,
) -> LimitSeen:
    again = limit is not None and known.woken_at is not None and known.woken_at > limit.seen_at
    refusals = limit.refusals + 1 if limit is not None and again else 1
    until = screen.resets_at if screen.resets_at is not None and screen.resets_at > now else None
    if until is not None and limit is not None and again and _is_same_clock(limit.until, until):
        until = None  # yesterday's words, read as tomorrow's
    first, longest = _PATIENCE[state]
    wait = min(first * 2 ** min(refusals - 1, 16), longest)
    return LimitSeen(
        agent=spec.name,
        account=spec.shares,
        limit=state,
        until=until,
        stated=screen.resets_at,
        retry_at=until + _MARGIN if until is not None else now + wait,
        refusals=refusals,
        detail=screen.detail[:300],
    )


def _is_same_clock(former: datetime | None, until: datetime) -> bool:
    """Whether `until` is `former` some days later: a clock time alone is read as its next occurrence."""
    if former is None:
        return False
    rest = (until - former) % _DAY
    return min(rest, _DAY - rest) <= _SAME_CLOCK


def _is_proof(
    spec: AgentSpec, sighting: AgentSighting, limit: AccountLimit, known: AgentMemory, now: datetime
) -> bool:
    """Whether an agent that tried after the limit was met works on, and has for a while."""
    tried = known.woken_at is not None and known.woken_at > limit.seen_at
    if not (tried or limit.agent == spec.name or now >= limit.retry_at):
        return False
    since = sighting.screen_since
    return (
        sighting.screen.state is ScreenState.WORKING
        and since is not None
        and since > limit.seen_at
        and now - since >= _MARGIN
    )


def _ended_well(sighting: AgentSighting, task: Task | None, limit: AccountLimit) -> bool:
    """Whether a turn that was begun after the limit was met has ended, and not in an error."""
    if task is None or task.prompted_at is None or task.prompted_at <= limit.seen_at:
        return False
    last = next((turn for turn in reversed(sighting.turns or ()) if turn.prompt_id == task.prompt_id), None)
    return last is not None and last.ended and last.outcome in PROVEN
