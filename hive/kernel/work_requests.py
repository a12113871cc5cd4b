"""What operators ask about one issue or pull request: its prompt, and that its agent go on with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hive.decisions.policy import Policy
from hive.decisions.preview import preview
from hive.errors import ConfigError, Refused
from hive.facts.events import Event, PullRequestTakenUp
from hive.facts.memory import Memory
from hive.facts.world import World
from hive.kernel.operators import Answer, Handler

_LONGEST = 500
"""Characters of a reason, or of what something is called."""


@dataclass(frozen=True, slots=True)
class WorkRequests:
    """Attributes:
    world: The newest look; `None` before the first.
    policy: With hive's own account in it.
    record: Writes an event and wakes the tick.
    """

    world: Callable[[], World | None]
    memory: Callable[[], Memory]
    policy: Callable[[], Policy]
    record: Callable[[Event], Awaitable[Answer]]

    def handlers(self) -> Mapping[str, Handler]:
        return {"prompt": self._prompt, "take-up": self._take_up}

    async def _prompt(self, request: Mapping[str, Any]) -> Answer:
        world = self.world()
        if world is None:
            raise Refused("work", "hive has not looked at anything yet")
        found = preview(_text(request, "id"), world, self.memory(), self.policy())
        if isinstance(found, str):
            raise Refused("work", found)
        return {"agent": found.agent, "text": found.text, "remark": found.remark}

    async def _take_up(self, request: Mapping[str, Any]) -> Answer:
        """A person's word that an agent goes on with its pull request."""
        given = _text(request, "id")
        pulls = self.memory().pulls
        key = next((one for one in pulls if one.casefold() == given.casefold()), None)
        if key is None:
            raise ConfigError(f"'{given[:80]}' is no pull request of an agent; write OWNER/NAME#NUMBER")
        if pulls[key].state != "open":
            raise Refused("work", f"{key} is {pulls[key].state}")
        repo, _, number = key.rpartition("#")
        event = PullRequestTakenUp(
            repo=repo, number=int(number), by=_text(request, "by"), why=_text(request, "why")
        )
        return await self.record(event)


def _text(request: Mapping[str, Any], key: str) -> str:
    value = request.get(key, "")
    if not isinstance(value, str):
        raise ConfigError(f"'{key}' is no text")
    return value[:_LONGEST]
