"""Many sessions are ended at once, and nothing else waits for that."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.agents import session_name
from hive.facts.world import Seen
from hive.kernel.act import act
from hive.ports.terminal import SessionOrder
from tests.decisions.worlds import policy, spec
from tests.fakes.terminal import FakePane, FakeTerminal
from tests.kernel.house import Chat, House

STUBBORN = ("one", "two", "three")
NEW = "new"
PATIENCE = 60.0


class Slow(FakeTerminal):
    """Its programs end when the test lets them.

    Attributes:
        told: Sessions whose programs were told to end.
    """

    def __init__(self, below: House, let: threading.Event) -> None:
        super().__init__(lambda order: Chat(), now=below.clock.now)
        self.told: list[str] = []
        self.let = let

    def end(self, pane: FakePane) -> None:
        self.told.append(pane.order.name)
        super().end(pane)
        assert self.let.wait(PATIENCE)


@pytest.fixture
def let() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


async def test_stops_are_under_way_at_once_and_a_start_and_a_look_wait_for_none_of_them(
    let: threading.Event,
) -> None:
    async with House(policy(agents=tuple(spec(name) for name in (NEW, *STUBBORN)))) as below:
        below.terminal = terminal = Slow(below, let)
        for name in STUBBORN:
            order = SessionOrder(session_name(name), ("agent",), {}, "/", marks={"agent": name})
            terminal.create(order)
        stops = [
            asyncio.create_task(
                act(i.StopAgent(agent=name, session=session_name(name), generation=1), below.hands)
            )
            for name in STUBBORN
        ]
        async with asyncio.timeout(PATIENCE):
            while len(terminal.told) < len(STUBBORN):
                await asyncio.sleep(0.01)
            (started,) = await act(i.StartAgent(agent=NEW, generation=1), below.hands)
        assert isinstance(started, e.IntentFinished)
        assert started.outcome == "done"
        look = await below.hands.terminals.look(below.hands.specs(), None, below.clock.now)
        assert isinstance(look.agents, Seen)
        assert [one.agent for one in look.agents.value] == [NEW]
        assert look.hidden == dict.fromkeys(STUBBORN, "hive is ending it")
        let.set()
        done = [event for (event,) in await asyncio.gather(*stops)]
        assert {one.outcome for one in done if isinstance(one, e.IntentFinished)} == {"done"}
        assert list(terminal.panes) == [session_name(NEW)]
        assert sorted(below.seats.vacated) == sorted(STUBBORN)
