"""What GitHub lets one credential ask: what is left, and for how long it wants to be left alone.

One for all repositories of a credential: whoever meets a limit, all others wait with it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from hive.errors import Throttled
from hive.facts.quotas import Quota
from hive.shells.github.answers import PORT, Answer, throttled

_UNTOLD = timedelta(minutes=1)
"""How long to wait where GitHub does not say (its "Best practices": at least a minute)."""

_ALL = "everything"


class Limits:
    """`holder` names the credential in words for people. `now` is hive's clock; without one nothing is
    waited for. Outlives a client that is built anew."""

    def __init__(self, holder: str, now: Callable[[], datetime] | None = None) -> None:
        self.holder = holder
        self._now = now
        self._quotas: dict[str, Quota] = {}
        self._spent: dict[str, int] = {}
        self._closed: dict[str, tuple[datetime, str]] = {}

    def quotas(self) -> tuple[Quota, ...]:
        """What was told last, by resource."""
        return tuple(self._quotas[resource] for resource in sorted(self._quotas))

    def check(self, resource: str) -> None:
        """Raise `Throttled` while GitHub wants to be left alone, without asking it."""
        if self._now is None:
            return
        for what in (_ALL, resource):
            until, message = self._closed.get(what, (None, ""))
            if until is not None and self._now() < until:
                raise Throttled(PORT, message, until)

    def heard(self, resource: str, answer: Answer) -> None:
        """Take in what an answer tells: of its headers, and of its being a refusal."""
        cost = _cost(resource, answer)
        self._spent[resource] = self._spent.get(resource, 0) + cost
        self._count(resource, answer)
        limit = throttled(answer)
        if limit is None or self._now is None:
            return
        until = limit.retry_at or self._now() + _UNTOLD
        is_primary = answer.headers.get("x-ratelimit-remaining") == "0"
        self._closed[resource if is_primary else _ALL] = (until, limit.message)

    def _count(self, resource: str, answer: Answer) -> None:
        headers = answer.headers
        numbers = [headers.get(f"x-ratelimit-{name}", "") for name in ("limit", "remaining", "reset")]
        if headers.get("x-ratelimit-resource", resource) != resource or not all(map(str.isdigit, numbers)):
            return
        limit, remaining, reset = map(int, numbers)
        self._quotas[resource] = Quota(
            self.holder,
            resource,
            limit,
            remaining,
            datetime.fromtimestamp(reset, UTC),
            self._spent[resource],
        )


def _cost(resource: str, answer: Answer) -> int:
    """What GitHub charges for it: nothing for a 304; of a query what it says, one where it does not."""
    if resource != "graphql":
        return int(answer.status != 304)
    data = answer.data.get("data") if isinstance(answer.data, dict) else None
    told = data.get("rateLimit") if isinstance(data, dict) else None
    return int(told["cost"]) if isinstance(told, dict) and isinstance(told.get("cost"), int) else 1
