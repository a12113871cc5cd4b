from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta

from hive.decisions.notices import Channel, NoticePolicy
from hive.errors import Refused
from hive.facts import events as e
from hive.facts.world import World
from hive.kernel.lane import Lane
from hive.kernel.notifier import Notifier
from hive.ports.notices import Notices
from tests.decisions.worlds import policy, sighting, world
from tests.kernel.house import House, until

MINUTE = timedelta(minutes=1)
POLICY = replace(policy(), notices=NoticePolicy(channels=(Channel("ops"),)))
ASKING = e.AgentChanged(agent="quality-1", state="asking", detail="Overwrite?")


@dataclass
class Kept:
    """Keeps what it is sent; refuses while `failure` is set."""

    failure: str = ""
    sent: list[tuple[str, str, str]] = field(default_factory=list)

    def send(self, channel: str, title: str, body: str) -> None:
        if self.failure:
            raise Refused("notices", self.failure)
        self.sent.append((channel, title, body))

    def close(self) -> None:
        """It has nothing open."""


MESSAGE = (
    "ops",
    "hive: quality-1 is asking",
    "quality-1 is asking: Overwrite?\n  hive send quality-1 ...",
)


def notifier(house: House, kept: Kept) -> Notifier:
    lane: Lane[Notices] = Lane("notices", lambda: kept)
    return Notifier(house.hands.journal, house.ledger, house.clock.now, lane)


async def turns(one: Notifier, house: House, around: World | None = None) -> None:
    """A turn that records, and one after the delay that sends; with what is sent awaited."""
    await one.turn(around or world(), POLICY)
    house.clock.advance(MINUTE)
    await one.turn(around or world(), POLICY)
    await until(lambda: not any(known.underway for known in house.ledger.memory.channels.values()))


async def test_what_waits_for_a_person_is_recorded_and_told_once() -> None:
    async with House() as house:
        kept = Kept()
        house.ledger.record([ASKING])
        one = notifier(house, kept)
        await turns(one, house)
        await turns(one, house)
        assert kept.sent == [MESSAGE]
        assert house.ledger.memory.needs["asking/quality-1"].told.keys() == {"ops"}


async def test_a_person_who_sits_there_is_not_told() -> None:
    async with House() as house:
        kept = Kept()
        house.ledger.record([ASKING])
        await turns(notifier(house, kept), house, world(sighting(attached=1)))
        assert kept.sent == []


async def test_a_restart_tells_nobody_again() -> None:
    async with House() as house:
        kept = Kept()
        house.ledger.record([ASKING])
        await turns(notifier(house, kept), house)
        await turns(notifier(house, kept), house)
        assert kept.sent == [MESSAGE]


async def test_a_message_that_hive_died_with_is_sent_again() -> None:
    async with House() as house:
        kept = Kept()
        house.ledger.record([ASKING])
        await notifier(house, kept).turn(world(), POLICY)
        keys = ("asking/quality-1",)
        house.ledger.record([e.NoticeBegun(notice="n", channel="ops", keys=keys, title="t")])
        one = notifier(house, kept)
        await one.turn(world(), POLICY)
        assert house.ledger.memory.channels["ops"].failure == "hive ended while it was being sent"
        await turns(one, house)
        assert kept.sent == [MESSAGE]


async def test_a_channel_that_refuses_is_told_of_and_tried_later() -> None:
    async with House() as house:
        kept = Kept(failure="no such hook")
        house.ledger.record([ASKING])
        one = notifier(house, kept)
        await turns(one, house)
        assert house.ledger.memory.channels["ops"].failure == "notices: no such hook"
        kept.failure = ""
        await turns(one, house)
        assert kept.sent == [MESSAGE]
