"""Operators' keys, a dead daemon, floods: driven as a person would, in a headless terminal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from hive.dashboard import watch
from hive.dashboard.screens.agent import AgentScreen
from hive.dashboard.screens.ask import ChooseScreen
from hive.dashboard.widgets.table import Table
from hive.dashboard.widgets.terminal import TerminalView
from hive.facts.events import Noticed
from tests.dashboard import world
from tests.fakes.journal import MemoryJournal
from tests.fakes.operator import FakeOperator

SIZE = (80, 24)


async def until(pilot: Pilot[None], holds: Callable[[], object], seconds: float = 20) -> None:
    """Let the app run until `holds`; fail when that takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold in time"
        await pilot.pause(0.02)


def text_of(pilot: Pilot[None]) -> str:
    """What the terminal shows, line by line."""
    screen = pilot.app.screen
    lines = screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in lines)


async def ready(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: "quality-2" in text_of(pilot))


@pytest.fixture
def hive() -> FakeOperator:
    return world.operator()


async def test_the_first_sight_shows_agents_and_the_terminal_of_the_one_that_needs_a_person(
    hive: FakeOperator,
) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "Do you want to proceed?" in text_of(pilot))
        shown = text_of(pilot)
    assert "L4 Adaptive" in shown
    assert "1 of 8 agents needs a person" in shown
    assert set(hive.screen_calls) == {"quality-2"}


async def test_pausing_asks_why_and_says_by_whom(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("p", *"lunch", "enter")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("pause", "quality-2", "ann", "lunch")]


async def test_a_change_of_mind_does_nothing(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        for keys in (("p", "x", "escape"), ("R", "n"), ("s", "x", "escape"), ("L", "6", "escape")):
            await pilot.press(*keys)
        await pilot.press("r")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("resume", "quality-2", "ann", "")]


async def test_a_restart_is_done_only_after_a_yes(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("R", "y")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("restart", "quality-2", "ann", "asked for in the dashboard")]


async def test_text_goes_to_the_chosen_agent_and_no_empty_text_does(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("j", "s", "enter", "g", "o", "enter")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("send", "scanner", "ann", "go")]


@pytest.mark.parametrize("keys", [("2",), ("down", "enter")])
async def test_a_box_is_answered_by_the_text_of_the_option_that_was_chosen(
    hive: FakeOperator, keys: tuple[str, ...]
) -> None:
    asking = next(one for one in hive.document["agents"] if one["name"] == "quality-2")
    asking["options"] = ["No, exit", "Yes, I accept"]
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "1 No, exit   2 Yes, I accept   (a: answer)" in text_of(pilot))
        await pilot.press("a")
        await until(pilot, lambda: "2  Yes, I accept" in text_of(pilot))
        await pilot.press("9")
        assert "Answer quality-2" in text_of(pilot), "no option has this number"
        await pilot.press("escape", "a")
        await until(pilot, lambda: "Answer quality-2" in text_of(pilot))
        await pilot.press(*keys)
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("answer", "quality-2", "ann", "Yes, I accept")]


async def test_where_there_is_no_box_there_is_nothing_to_answer(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE, notifications=True) as pilot:
        await ready(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "no box" in text_of(pilot))
        assert not isinstance(pilot.app.screen, ChooseScreen)
    assert hive.actions == []


async def test_a_level_is_set_for_a_scope_with_a_reason(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("L", "5", "enter", "down", "enter", *"green", "enter")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("level", 5, "agent", "quality-2", "ann", "green")]


async def test_a_level_change_is_taken_back(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("L", "end", "tab", "tab", "enter")
        assert hive.actions == [], "a level without a why is not set"
        await pilot.press("o", "k", "enter")
        await until(pilot, lambda: hive.actions)
    assert hive.actions == [("level", None, "hive", "", "ann", "ok")]


async def test_a_refusal_is_shown_in_one_line(hive: FakeOperator) -> None:
    hive.refusal = "quality-2 is [bold]not[/] yours"
    async with world.dashboard(hive).run_test(size=(120, 36), notifications=True) as pilot:
        await ready(pilot)
        await pilot.press("r")
        await until(pilot, lambda: "operator: quality-2 is [bold]not[/] yours" in text_of(pilot))


async def test_a_daemon_that_dies_is_told_and_shown_again_when_it_is_back(hive: FakeOperator) -> None:
    hive.document["at"] = world.before(minutes=3)
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        hive.is_down = True
        await until(pilot, lambda: "daemon is not running (last seen 3m ago)" in text_of(pilot))
        assert "quality-2" in text_of(pilot)
        hive.is_down = False
        await until(pilot, lambda: "not running" not in text_of(pilot))


async def test_a_hanging_daemon_freezes_neither_keys_nor_the_end(
    hive: FakeOperator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.5)
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        hive.hangs = True
        await until(pilot, lambda: "did not answer" in text_of(pilot))
        await pilot.press("j")
        assert table(pilot).chosen == "scanner"
    hive.let_go()


async def test_floods_of_log_and_of_records_never_keep_a_key_waiting_for_200_ms(hive: FakeOperator) -> None:
    hive.screens["quality-2"] = "x" * 40_000 + "\n" + "\x1b[32mlog line\x1b[0m\n" * 3_000_000
    journal = world.journal()
    async with world.dashboard(hive, journal).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "log line" in text_of(pilot))
        stalls = asyncio.create_task(longest_stall(looks=lambda: hive.looks))
        while not stalls.done():
            hive.screens["quality-2"] += "one more\n"
            journal.append([Noticed(about="a", message=str(n)) for n in range(400)], at=world.NOW)
            before = table(pilot).chosen
            await pilot.press("j" if before == "quality-2" else "k")
            assert table(pilot).chosen != before
            await pilot.pause(0.1)
    assert await stalls < 0.2


async def longest_stall(looks: Callable[[], int]) -> float:
    """Seconds that the event loop worked on end, over four beats; other load of the machine left out."""
    longest, end = 0.0, looks() + 4
    while looks() < end:
        started = time.thread_time()
        await asyncio.sleep(0.002)
        longest = max(longest, time.thread_time() - started)
    return longest


async def test_a_terminal_is_looked_at_only_while_it_can_be_seen(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(hive.screen_calls) >= 2)
        await pilot.press("3")
        await pilot.pause(0.1)
        before = len(hive.screen_calls)
        looks = hive.looks
        await until(pilot, lambda: hive.looks >= looks + 2)
        assert len(hive.screen_calls) == before
        await pilot.press("1")
        await until(pilot, lambda: len(hive.screen_calls) > before)


async def test_enter_opens_the_agent_and_escape_leads_back(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "tmux -S /run/hive/tmux.sock attach" in text_of(pilot))
        await until(pilot, lambda: "quality-2 is asking: wants to run" in text_of(pilot))
        await pilot.press("p", "enter")
        await until(pilot, lambda: hive.actions == [("pause", "quality-2", "ann", "")])
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, AgentScreen))


async def test_the_agent_of_a_pull_request_is_opened_from_there(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("3", "down")
        await until(pilot, lambda: "✗ check-failed test (3.11): the check failed" in text_of(pilot))
        await pilot.press("enter")
        await until(
            pilot, lambda: "quality-2" in text_of(pilot) and isinstance(pilot.app.screen, AgentScreen)
        )


async def test_the_filter_keeps_rows_that_mention_its_words(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("slash", *"PARS", "enter")
        assert [row.key for row in table(pilot).rows] == ["quality-2"]
        await pilot.press("escape")
        assert len(table(pilot).rows) == 8
        assert pilot.app.screen.query_one(Input).value == ""


async def test_the_cursor_stays_with_its_agent_when_rows_move(hive: FakeOperator) -> None:
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("end", "up")
        assert table(pilot).chosen == "guide"
        hive.document["agents"] = [world.agent("guide", "crashed"), *world.agents()[:3]]
        await until(pilot, lambda: table(pilot).rows[0].key == "guide")
        assert table(pilot).chosen == "guide"


async def test_a_status_that_makes_no_sense_is_told_and_shown_as_far_as_it_does(hive: FakeOperator) -> None:
    hive.document = {"agents": world.agents(), "work": 7}
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await until(pilot, lambda: "cannot read: work" in text_of(pilot))


async def test_a_failing_port_is_told_above_everything(hive: FakeOperator) -> None:
    hive.document["ports"] = [
        {"name": "github", "state": "failing", "message": "502", "since": world.before(minutes=4)}
    ]
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "github failing for 4m: 502" in text_of(pilot))


async def test_new_records_appear_and_a_gap_is_counted(hive: FakeOperator) -> None:
    journal = world.journal()
    async with world.dashboard(hive, journal).run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("5")
        await until(pilot, lambda: "quality-2 is asking" in text_of(pilot))
        journal.append([Noticed(about="a", message=str(n)) for n in range(700)], at=world.NOW)
        await until(pilot, lambda: "a: 699" in text_of(pilot))
        assert any("500 records are not shown" in row.cells[1].text for row in table(pilot).rows)


async def test_an_empty_hive_and_an_empty_journal_are_no_fault() -> None:
    app = world.dashboard(FakeOperator({}), MemoryJournal())
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "● daemon" in text_of(pilot))
        for key in ("2", "3", "4", "5", "1", "p", "enter"):
            await pilot.press(key)
        assert "no agent is chosen" in str(pilot.app.screen.query_one(TerminalView)._words)


async def test_300_agents_scroll_with_the_cursor(hive: FakeOperator) -> None:
    hive.document["agents"] = [world.agent(f"quality-{n:03}", "working") for n in range(300)]
    async with world.dashboard(hive).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "quality-000" in text_of(pilot))
        await pilot.press("G")
        await until(pilot, lambda: "quality-299" in text_of(pilot))
        assert "state" in text_of(pilot).splitlines()[3]
        await pilot.press("g")
        await until(pilot, lambda: "quality-000" in text_of(pilot))


def table(pilot: Pilot[None]) -> Table:
    """The table of the open tab."""
    return next(each for each in pilot.app.screen.query(Table) if each.size.area > 0)
