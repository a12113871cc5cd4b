"""Tells people what waits for them: records needs, sends the messages that are due, records what came of it.

Beside the tick rather than in it: a service that does not answer must keep hive from nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from hive.decisions.notice_load import load_changes
from hive.decisions.notices import Message, changes, due, outstanding
from hive.decisions.policy import Policy
from hive.errors import WorldError
from hive.facts.events import Event, NoticeBegun, NoticeEnded
from hive.facts.memory import Memory
from hive.facts.world import Seen, World
from hive.kernel.act import record
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.ports.notices import Notices

_DEADLINE = 30.0
"""Seconds for one message."""


@dataclass(slots=True)
class Notifier:
    """`lane` is None where no channel can be sent to: needs are recorded all the same."""

    journal: Lane[Ledger]
    ledger: Ledger
    now: Callable[[], datetime]
    lane: Lane[Notices] | None = None
    _sending: set[asyncio.Task[None]] = field(default_factory=set)
    _own: set[str] = field(default_factory=set)
    """Messages of this run that have no outcome yet."""

    async def turn(self, world: World, policy: Policy) -> None:
        """Record what changed, the load too, and begin what is due. Raises `JournalError`."""
        for task in [task for task in self._sending if task.done()]:
            self._sending.discard(task)
            task.result()  # raises what ended it: a record that could not be written
        now = self.now()
        needs = outstanding(self.ledger.memory, policy, now)
        load = load_changes(world, self.ledger.memory, policy)
        await self._record([*load, *changes(self.ledger.memory, needs)])
        if self.lane is None:
            return
        await self._record(self._lost(self.ledger.memory))
        messages = due(self.ledger.memory, policy.notices, now, attended=_attended(world))
        for _, batch in groupby(messages, key=lambda message: message.channel):
            together = tuple(batch)
            await self._record(_begun(one) for one in together)
            self._own.update(one.id for one in together)
            self._sending.add(asyncio.create_task(self._send(together)))

    def cancel(self) -> None:
        for task in self._sending:
            task.cancel()

    def _lost(self, memory: Memory) -> list[NoticeEnded]:
        """Messages that an earlier run of hive had begun: nobody knows whether they went out."""
        return [
            NoticeEnded(notice=notice, channel=name, keys=(), failure="hive ended while it was being sent")
            for name, channel in memory.channels.items()
            for notice in channel.underway
            if notice not in self._own
        ]

    async def _send(self, batch: tuple[Message, ...]) -> None:
        """One after the other. After one that failed the rest is not tried: the channel has to rest."""
        assert self.lane is not None
        failure = ""
        for one in batch:
            if not failure:
                failure = await self._try(self.lane, one)
            ended = NoticeEnded(
                notice=one.id, channel=one.channel, keys=one.keys, resolved=one.resolved, failure=failure
            )
            await self._record([ended])
            self._own.discard(one.id)

    async def _try(self, lane: Lane[Notices], one: Message) -> str:
        try:
            await lane.call(one.id, lambda port: port.send(one.channel, one.title, one.body), _DEADLINE)
        except WorldError as error:
            return str(error)
        return ""

    async def _record(self, events: Iterable[Event]) -> None:
        pending = list(events)
        if pending:
            await record(self.journal, pending)


def _begun(message: Message) -> NoticeBegun:
    return NoticeBegun(notice=message.id, channel=message.channel, keys=message.keys, title=message.title)


def _attended(world: World) -> frozenset[str]:
    """Agents at whose session a person sits."""
    if not isinstance(world.agents, Seen):
        return frozenset()
    return frozenset(one.agent for one in world.agents.value if one.pane.attached)
