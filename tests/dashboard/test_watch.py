"""Whatever fails becomes words beside the last that is known."""

from __future__ import annotations

import json

import pytest

from hive.dashboard import watch
from hive.dashboard.fleet import Fleet, read
from hive.dashboard.watch import News, Sight, Watch
from hive.facts.events import Noticed
from hive.ports.operator import Operator
from tests.dashboard import world
from tests.fakes.clock import FakeClock
from tests.fakes.journal import MemoryJournal
from tests.fakes.operator import FakeOperator


@pytest.fixture
def hive() -> FakeOperator:
    return world.operator()


@pytest.fixture
def journal() -> MemoryJournal:
    return world.journal()


@pytest.fixture
def seen(hive: FakeOperator, journal: MemoryJournal) -> Watch:
    return Watch(hive, journal, FakeClock(world.NOW))


async def test_a_live_supervisor_is_shown_in_its_own_words(seen: Watch) -> None:
    assert await seen.look() == Sight(read(world.document()), world.NOW)


async def test_without_a_supervisor_the_published_status_is_shown(
    seen: Watch, hive: FakeOperator, journal: MemoryJournal
) -> None:
    journal.publish(json.dumps(world.document(tick=9)).encode())
    hive.is_down = True
    assert await seen.look() == Sight(read(world.document(tick=9)), world.NOW, "the daemon is not running")


async def test_a_supervisor_that_dies_leaves_the_newest_that_is_known(
    seen: Watch, hive: FakeOperator, journal: MemoryJournal
) -> None:
    journal.publish(json.dumps(world.document(tick=9, at=world.before(minutes=5))).encode())
    live = await seen.look()
    hive.is_down = True
    assert (await seen.look()).fleet == live.fleet


async def test_a_hive_that_never_ran_is_empty_and_says_so(hive: FakeOperator) -> None:
    hive.is_down = True
    empty = Watch(hive, MemoryJournal(), FakeClock(world.NOW))
    assert await empty.look() == Sight(Fleet(), world.NOW, "the daemon is not running")


async def test_a_supervisor_that_hangs_is_given_up_and_said_to_hang(
    seen: Watch, hive: FakeOperator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.1)
    hive.hangs = True
    sight = await seen.look()
    hive.let_go()
    assert sight.trouble.startswith("the daemon did not answer within")


async def test_a_published_status_that_is_broken_is_said_beside_the_trouble(
    seen: Watch, hive: FakeOperator, journal: MemoryJournal
) -> None:
    journal.publish(b"[1]")
    hive.is_down = True
    assert (await seen.look()).trouble == "the daemon is not running; the published status is no JSON object"


async def test_news_come_once_and_in_order(seen: Watch, journal: MemoryJournal) -> None:
    first = await seen.news()
    assert [record.seq for record in first.records] == list(range(1, len(world.history()) + 1))
    assert await seen.news() == News()
    journal.append([Noticed(about="guide", message="new")], at=world.NOW)
    assert [record.event for record in (await seen.news()).records] == [Noticed(about="guide", message="new")]


async def test_a_flood_of_records_is_cut_to_the_newest_and_counted(
    seen: Watch, journal: MemoryJournal
) -> None:
    await seen.news()
    journal.append([Noticed(about="a", message=str(n)) for n in range(2_000)], at=world.NOW)
    news = await seen.news()
    assert (len(news.records), news.skipped) == (watch.MOST_NEWS, 2_000 - watch.MOST_NEWS)
    assert news.records[-1].event == Noticed(about="a", message="1999")
    assert await seen.news() == News()


async def test_a_journal_that_was_empty_at_first_is_heard_from_its_first_record(hive: FakeOperator) -> None:
    journal = MemoryJournal()
    seen = Watch(hive, journal, FakeClock(world.NOW))
    assert await seen.news() == News()
    journal.append([Noticed(about="a", message="first")], at=world.NOW)
    assert len((await seen.news()).records) == 1


async def test_a_journal_that_cannot_be_read_is_said_so(seen: Watch, journal: MemoryJournal) -> None:
    journal.close()
    assert "closed" in (await seen.news()).trouble
    assert "closed" in (await seen.about("guide", 5)).trouble


async def test_an_action_that_fails_says_why_in_one_line(seen: Watch, hive: FakeOperator) -> None:
    def pause(operator: Operator) -> None:
        operator.pause("guide", by="ann", why="")

    assert await seen.act(pause) == ""
    hive.refusal = "no agent 'guide';\n did you mean 'guile'?"
    assert await seen.act(pause) == "operator: no agent 'guide'; did you mean 'guile'?"
    hive.is_down = True
    assert await seen.act(pause) == "operator: no daemon listens"


async def test_an_action_without_an_answer_is_said_to_be_in_doubt(
    seen: Watch, hive: FakeOperator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "ACT_SECONDS", 0.1)
    hive.hangs = True
    said = await seen.act(lambda operator: operator.look())
    hive.let_go()
    assert said.endswith("it may have happened: look before asking again")
