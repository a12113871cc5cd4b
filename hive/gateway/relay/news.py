"""What stood between agents and their models, told to the supervisor when it is news."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from hive.facts.model_events import ModelRefused
from hive.facts.models import ModelProblem, ModelStanding
from hive.facts.recorded import AgentEvent
from hive.gateway.relay.providers import Provider

_NEWS = timedelta(minutes=1)
"""After so long the same refusal is written down again."""


class News:
    """Thread-safe. `put` takes what the journal is to have."""

    def __init__(self, put: Callable[[AgentEvent], None], now: Callable[[], datetime]) -> None:
        self._put = put
        self._now = now
        self._lock = threading.Lock()
        self._told: dict[str, ModelStanding] = {}
        """What was last written down of an agent, and not answered since."""

    def answered(self, agent: str) -> None:
        """A model answered it: whatever stood between is gone."""
        with self._lock:
            self._told.pop(agent, None)

    def refused(
        self,
        agent: str,
        provider: Provider,
        problem: ModelProblem,
        status: int = 0,
        until: datetime | None = None,
        *,
        detail: str,
    ) -> None:
        told = ModelStanding(problem, provider.name, provider.account, self._now(), until, detail)
        with self._lock:
            before = self._told.get(agent)
            if before is not None and not _is_news(before, told):
                return
            self._told[agent] = told
        self._put(
            ModelRefused(
                agent=agent,
                provider=provider.name,
                account=provider.account,
                problem=problem,
                status=status,
                until=until,
                detail=detail,
            )
        )


def _is_news(before: ModelStanding, now: ModelStanding) -> bool:
    if before.problem is not now.problem or now.at - before.at >= _NEWS:
        return True
    if before.until is None or now.until is None:
        return before.until is not now.until
    return abs(now.until - before.until) >= _NEWS
