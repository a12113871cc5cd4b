"""Tokens of agents on this machine end, and are renewed while the agents run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from hive.decisions.token_renewal import TOKEN_LIFE, due
from hive.facts import events as e
from hive.facts.agents import AgentSpec, AgentState, session_name
from hive.facts.intents import StopAgent
from hive.kernel.act import Hands
from hive.kernel.authority import KernelAuthority
from hive.kernel.lane import Lane
from hive.kernel.ledger import Ledger
from hive.kernel.token_keeper import TokenKeeper
from hive.kernel.tokens import digest_of
from hive.ports.seats import LocalSeats
from tests.decisions.worlds import NOW, policy, spec
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal
from tests.kernel.house import FakeSeats
from tests.kernel.test_authority import A, carried_out

LIFE_S = int(TOKEN_LIFE.total_seconds())
STOP = StopAgent(agent=A, session=session_name(A), generation=1)


class Office:
    """An agent that runs with a token "first", and the keeper of its token."""

    def __init__(self) -> None:
        self.clock = FakeClock(NOW)
        self.journal = MemoryJournal()
        self.ledger = Ledger(self.journal, self.clock)
        self.seats = FakeSeats()
        self.specs: list[AgentSpec] = [spec(A)]
        self.lanes = SimpleNamespace(
            seats=Lane[LocalSeats]("seats", lambda: self.seats),
            journal=Lane[Ledger]("journal", lambda: self.ledger),
        )
        self.keeper = TokenKeeper(cast(Hands, self.lanes), self.ledger, self.clock.now)
        self.authority = KernelAuthority(
            self.ledger,
            lambda: policy(*self.specs),
            self.clock,
            keeps_draft=lambda: False,
            poke=lambda _: None,
        )
        self.ledger.record(
            [
                e.TokenIssued(agent=A, digest=digest_of("first"), generation=1, life_s=LIFE_S),
                e.AgentChanged(agent=A, state=AgentState.WORKING),
            ]
        )

    def close(self) -> None:
        self.lanes.seats.close(5)
        self.lanes.journal.close(5)

    async def later(self, minutes: float) -> None:
        self.clock.advance(timedelta(minutes=minutes))
        await self.keeper.renew(self.specs)

    def good(self, *tokens: str) -> list[bool]:
        return [self.authority.identify(token) is not None for token in tokens]


@pytest.fixture
def just_started() -> Iterator[Office]:
    made = Office()
    yield made
    made.close()


@pytest.fixture
async def office(just_started: Office) -> Office:
    """After the keeper's first look, at which every running agent would get another token."""
    specs, just_started.specs = just_started.specs, []
    await just_started.later(0)
    just_started.specs = specs
    return just_started


async def test_a_token_is_renewed_in_time_and_stays_good_until_its_own_end(office: Office) -> None:
    await office.later(29)
    assert office.seats.renewed == []
    await office.later(2)
    [(name, second)] = office.seats.renewed
    assert (name, office.good("first", second)) == (A, [True, True])
    await office.later(1)
    assert len(office.seats.renewed) == 1
    await office.later(28.5)
    assert office.good("first", second) == [False, True]
    await office.later(1)
    assert len(office.seats.renewed) == 2


async def test_a_token_that_nobody_renews_ends(office: Office) -> None:
    office.clock.advance(TOKEN_LIFE - timedelta(seconds=1))
    assert office.good("first") == [True]
    office.clock.advance(timedelta(seconds=1))
    assert office.good("first") == [False]


async def test_stopping_an_agent_ends_all_of_its_tokens(office: Office) -> None:
    await office.later(31)
    [(_, second)] = office.seats.renewed
    office.ledger.record(carried_out(STOP))
    assert office.good("first", second) == [False, False]
    await office.later(90)
    assert len(office.seats.renewed) == 1


async def test_another_start_ends_all_tokens_of_the_one_before(office: Office) -> None:
    await office.later(31)
    [(_, second)] = office.seats.renewed
    office.ledger.record([e.TokenIssued(agent=A, digest=digest_of("next"), generation=2, life_s=LIFE_S)])
    assert office.good("first", second, "next") == [False, False, True]


async def test_what_cannot_be_written_is_tried_again_with_the_same_token(office: Office) -> None:
    office.seats.full_disk = True
    await office.later(31)
    await office.later(1)
    assert office.good("first") == [True]
    office.seats.full_disk = False
    await office.later(1)
    [(_, second)] = office.seats.renewed
    assert office.good("first", second) == [True, True]
    assert len([r for r in office.journal.records() if isinstance(r.event, e.TokenIssued)]) == 2


async def test_a_token_that_waited_to_be_written_does_not_come_over_a_newer_ones(office: Office) -> None:
    office.seats.full_disk = True
    await office.later(31)
    office.ledger.record([e.TokenIssued(agent=A, digest=digest_of("next"), generation=2, life_s=LIFE_S)])
    office.seats.full_disk = False
    await office.later(1)
    assert office.seats.renewed == []


async def test_hive_that_was_away_renews_every_running_agents_token_at_its_start(
    just_started: Office,
) -> None:
    office = just_started
    office.clock.advance(timedelta(hours=5))
    assert office.good("first") == [False]
    await office.keeper.renew(office.specs)
    [(_, second)] = office.seats.renewed
    assert office.good(second) == [True]


async def test_at_its_start_hive_renews_even_young_tokens_as_the_newest_may_not_have_been_written(
    just_started: Office,
) -> None:
    await just_started.later(1)
    await just_started.later(1)
    [(_, second)] = just_started.seats.renewed
    assert just_started.good("first", second) == [True, True]


@pytest.mark.parametrize(
    "state", ["absent", "not-started", "paused", "crashed", "failed-to-start"], ids=lambda state: state
)
def test_what_does_not_run_gets_no_other_token(state: str, office: Office) -> None:
    office.ledger.record([e.AgentChanged(agent=A, state=state)])
    assert due(office.ledger.memory, office.specs, NOW + timedelta(days=1), early=True) == ()


def test_a_token_of_an_older_hive_has_no_end_and_is_left_as_it_is(office: Office) -> None:
    office.ledger.record([e.TokenIssued(agent=A, digest=digest_of("old"), generation=2)])
    office.ledger.record([e.AgentChanged(agent=A, state=AgentState.READY)])
    assert due(office.ledger.memory, office.specs, NOW + timedelta(days=9), early=True) == ()
    office.clock.advance(timedelta(days=9))
    assert office.good("old") == [True]
