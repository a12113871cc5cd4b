"""What a look and a plan make of tokens and budgets."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from hive.decisions.budgets import Budget, BudgetScope, Limit
from hive.decisions.notice import notice
from hive.decisions.plan_tasks import task_intents
from hive.decisions.prices import PriceTable
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts.agents import AgentState
from hive.facts.events import Record
from hive.facts.intents import ClaimWork, DeliverPrompt, FinishTask
from hive.facts.memory import Memory
from hive.facts.usage import Price, TokenUsage, Usage, UsageSource
from tests.decisions.worlds import (
    NOW,
    REPO,
    issue,
    known_agent,
    look,
    memory,
    policy,
    sighting,
    spec,
    task,
    world,
)

PRICES = PriceTable([Price("m", date(2026, 1, 1), 1_000_000, 2_000_000, 0, 0, 0)])
DOLLAR = 1_000_000
DAY = timedelta(days=1)


def used(key: str = "k", output: int = 100, **changes: object) -> Usage:
    made = Usage("m", TokenUsage(output=output), key, UsageSource.TRANSCRIPT, NOW - timedelta(minutes=2))
    return replace(made, **changes)  # type: ignore[arg-type]  # the tests name fields


def after(known: Memory, *events: e.Event) -> Memory:
    return recall(known, [Record(known.seq + n, NOW, 0, event) for n, event in enumerate(events, 1)])


def having_spent(cost: int, known: Memory | None = None, **purpose: object) -> Memory:
    event = e.UsageRecorded(
        agent="quality-1",
        model="m",
        key="spent",
        source="relay",
        output=1,
        cost=cost,
        role="quality",
        used_at=NOW,
        **purpose,  # type: ignore[arg-type]  # as above
    )
    return after(known or memory(), event)


def test_a_message_is_recorded_with_its_price_and_the_task_of_its_time_and_never_again() -> None:
    mine = policy(prices=PRICES)
    known = memory(None, task())
    there = world(replace(sighting(), usage=(used(),)), repos={REPO: look([issue()])})
    recorded = [one for one in notice(there, known, mine) if isinstance(one, e.UsageRecorded)]
    assert recorded == [
        e.UsageRecorded(
            agent="quality-1",
            model="m",
            key="k",
            source="transcript",
            output=100,
            cost=200,
            task=task().id,
            repo=REPO,
            issue=7,
            backend="scripted",
            role="quality",
            account="scripted",
            used_at=NOW - timedelta(minutes=2),
        )
    ]
    again = notice(there, after(known, *recorded), mine)
    assert not [one for one in again if isinstance(one, e.UsageRecorded)]


def test_a_message_without_a_price_is_recorded_as_such_and_priced_when_the_operator_says() -> None:
    there = world(replace(sighting(), usage=(used(),)))
    (first,) = (one for one in notice(there, memory(), policy()) if isinstance(one, e.UsageRecorded))
    assert first.cost is None
    known = after(memory(), first)
    (second,) = (
        one for one in notice(there, known, policy(prices=PRICES)) if isinstance(one, e.UsageRecorded)
    )
    assert second.cost == 200


def test_each_limit_is_told_once_in_a_window() -> None:
    budget = Budget("day", window=DAY, soft=Limit(cost=DOLLAR), hard=Limit(cost=2 * DOLLAR))
    mine = policy(budgets=(budget,))
    known = having_spent(DOLLAR)
    told = [one for one in notice(world(sighting()), known, mine) if isinstance(one, e.BudgetReached)]
    assert [(one.limit, one.message) for one in told] == [
        ("soft", "budget 'day' for hive is at $1.00 of $1.00, its soft limit until 2026-12-01 00:00 UTC")
    ]
    known = after(known, *told)
    assert not [one for one in notice(world(sighting()), known, mine) if isinstance(one, e.BudgetReached)]


def test_tokens_that_a_budget_in_dollars_cannot_count_are_told_loudly() -> None:
    event = e.UsageRecorded(agent="quality-1", model="x", key="1", source="relay", output=12_000)
    mine = policy(budgets=(Budget("all", hard=Limit(cost=DOLLAR)),))
    told = [
        one
        for one in notice(world(sighting()), after(memory(), event), mine)
        if isinstance(one, e.BudgetReached)
    ]
    assert [(one.limit, one.message) for one in told] == [
        (
            "unpriced",
            "budget 'all' for hive cannot count 12.0k tokens of models without a price; add them to prices",
        )
    ]


def test_an_agent_over_its_budget_is_paused_when_its_turn_is_over_and_says_why() -> None:
    mine = policy(budgets=(Budget("day", window=DAY, hard=Limit(cost=DOLLAR)),))
    events = notice(world(sighting()), having_spent(DOLLAR), mine)
    (changed,) = (one for one in events if isinstance(one, e.AgentChanged))
    assert (changed.state, changed.detail) == (
        AgentState.PAUSED,
        "over budget: 'day' for hive is spent until 2026-12-01 00:00 UTC",
    )
    tomorrow = replace(world(sighting()), now=NOW + DAY)
    known = after(having_spent(DOLLAR), changed)
    states = [one.state for one in notice(tomorrow, known, mine) if isinstance(one, e.AgentChanged)]
    assert states == [AgentState.READY]


def test_no_task_is_begun_for_what_a_spent_budget_covers_and_others_go_on() -> None:
    budget = Budget("r", BudgetScope.REPO, REPO, hard=Limit(cost=DOLLAR))
    there = world(sighting(), repos={REPO: look([issue()])})
    free = list(task_intents(there, having_spent(DOLLAR, repo="o/else"), policy(budgets=(budget,))))
    assert [type(one) for one in free] == [ClaimWork]
    assert list(task_intents(there, having_spent(DOLLAR, repo=REPO), policy(budgets=(budget,)))) == []


def test_no_prompt_is_sent_over_budget_and_the_task_is_kept() -> None:
    there = world(sighting(), repos={REPO: look([issue()])})
    known = memory({"quality-1": known_agent()}, task())
    assert [type(one) for one in task_intents(there, known, policy())] == [DeliverPrompt]
    budget = Budget("all", hard=Limit(cost=DOLLAR))
    assert list(task_intents(there, having_spent(DOLLAR, known), policy(budgets=(budget,)))) == []


def test_a_task_whose_own_budget_is_spent_comes_to_its_end() -> None:
    there = world(sighting(), repos={REPO: look([issue()])})
    known = having_spent(DOLLAR, memory({"quality-1": known_agent()}, task()), task=task().id)
    budget = Budget("task", per_task=True, hard=Limit(cost=DOLLAR))
    (ended,) = task_intents(there, known, policy(budgets=(budget,)))
    assert isinstance(ended, FinishTask)
    assert (ended.outcome, ended.detail) == (
        "failed",
        f"over budget: 'task' for hive task {task().id} is spent",
    )


def test_agents_of_another_role_are_not_stopped() -> None:
    budget = Budget("scanners", BudgetScope.ROLE, "scanner", hard=Limit(cost=0))
    mine = policy(spec(), spec("scan", "scanner"), budgets=(budget,))
    events = notice(world(sighting(), sighting("scan")), memory({"quality-1": known_agent()}), mine)
    paused = [
        one.agent for one in events if isinstance(one, e.AgentChanged) and one.state == AgentState.PAUSED
    ]
    assert paused == ["scan"]
