"""The supervisor's word to the relay of models. Called from the gateway's threads, as `authority` is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hive.decisions.budgets import BudgetScope, ruling
from hive.decisions.policy import Policy
from hive.decisions.spending import SpendingFold
from hive.facts.agents import AgentSpec
from hive.facts.events import Event
from hive.facts.memory import AgentMemory
from hive.facts.model_events import ModelRefused
from hive.facts.recorded import AgentEvent
from hive.facts.spending import Purpose
from hive.facts.usage import Usage
from hive.facts.usage_events import UsageRecorded
from hive.kernel.ledger import Ledger
from hive.kernel.tokens import model_key_holder
from hive.ports.clock import Clock
from hive.ports.models import ModelCaller


class KernelModelAuthority:
    """Implements `ports.models.ModelAuthority`. `poke` wakes the tick: what was refused is news to it."""

    def __init__(
        self,
        ledger: Ledger,
        policy: Callable[[], Policy],
        clock: Clock,
        poke: Callable[[], None],
    ) -> None:
        self._ledger = ledger
        self._policy = policy
        self._clock = clock
        self._poke = poke

    def identify(self, key: str) -> ModelCaller | None:
        memory = self._ledger.memory
        found = model_key_holder(memory.agents, key)
        spec = self._policy().agent(found[0]) if found is not None else None
        if found is None or spec is None:
            return None
        task = memory.tasks.get(memory.agents.get(spec.name, AgentMemory()).task)
        has_task = task is not None and task.is_open
        return ModelCaller(
            agent=spec.name,
            provider=spec.provider,
            model=spec.model or "",
            task=task.id if task is not None and has_task else "",
            repo=task.repo if task is not None and has_task else "",
            issue=(task.about_issue or task.issue or None) if task is not None and has_task else None,
            cluster=found[1],
        )

    def rules_by_model(self) -> bool:
        return any(budget.scope is BudgetScope.MODEL for budget in self._policy().budgets)

    def refusal(self, caller: ModelCaller, unwritten: Sequence[AgentEvent] = ()) -> str | None:
        policy = self._policy()
        if not policy.budgets:
            return None
        purpose = _purpose(caller, policy.agent(caller.agent))
        now = self._clock.now()
        spending = SpendingFold(self._ledger.memory.spending)
        for event in unwritten:
            if isinstance(event, UsageRecorded):  # one that was written meanwhile is not counted twice
                spending.add(event, now)
        found = ruling(spending.spending(), policy.budgets, purpose, now)
        return found.why.removeprefix("over budget: ") if found is not None else None

    def spent(self, caller: ModelCaller, usage: Usage) -> AgentEvent:
        at = usage.at or self._clock.now()
        purpose = _purpose(caller, self._policy().agent(caller.agent))
        tokens = usage.tokens
        return UsageRecorded(
            agent=caller.agent,
            model=usage.model,
            key=usage.key,
            source=usage.source,
            input=tokens.input,
            output=tokens.output,
            cache_read=tokens.cache_read,
            cache_write=tokens.cache_write,
            cache_write_hour=tokens.cache_write_hour,
            cost=self._policy().prices.cost(usage.model, tokens, at),
            task=caller.task,
            repo=caller.repo,
            issue=caller.issue,
            backend=purpose.backend,
            role=purpose.role,
            account=purpose.account,
            used_at=at,
            is_estimate=usage.is_estimate,
        )

    def record(self, events: Sequence[Event]) -> None:
        self._ledger.record(events)
        if any(isinstance(event, ModelRefused) for event in events):
            self._poke()


def _purpose(caller: ModelCaller, spec: AgentSpec | None) -> Purpose:
    return Purpose(
        agent=caller.agent,
        task=caller.task,
        repo=caller.repo,
        issue=caller.issue,
        model=caller.model,
        backend=spec.backend if spec is not None else "",
        role=spec.role if spec is not None else "",
        account=caller.account,
    )
