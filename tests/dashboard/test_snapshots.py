"""How it looks, cell for cell. After a change that is meant: `pytest --snapshot-update`, and look at it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from hive.dashboard.app import HiveDashboard
from tests.dashboard import world
from tests.dashboard.test_app import text_of, until
from tests.fakes.operator import FakeOperator

SMALL, LARGE = (80, 24), (200, 60)
TABS = {"agents": "1", "work": "2", "pulls": "3", "findings": "4", "journal": "5"}
DIALOGS = {
    "pause": "p",
    "restart": "R",
    "send": "s",
    "level": "L",
    "help": "question_mark",
    "filter": "slash",
}


class Compare(Protocol):
    def __call__(
        self, app: App[Any], *, terminal_size: tuple[int, int], run_before: Callable[[Pilot[None]], Any]
    ) -> bool: ...


@pytest.fixture
def looks_alike(snap_compare: Compare) -> Callable[..., bool]:
    def compare(app: HiveDashboard, size: tuple[int, int], *keys: str, shows: str = "proceed?") -> bool:
        async def press(pilot: Pilot[None]) -> None:
            await until(pilot, lambda: shows in text_of(pilot))
            await pilot.press(*keys)
            for field in pilot.app.screen.query(Input):
                field.cursor_blink = False
            await pilot.pause()

        return snap_compare(app, terminal_size=size, run_before=press)

    return compare


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "200x60"])
@pytest.mark.parametrize("tab", TABS)
def test_every_tab_fits_both_terminals(
    looks_alike: Callable[..., bool], tab: str, size: tuple[int, int]
) -> None:
    assert looks_alike(world.dashboard(), size, TABS[tab], "down")


@pytest.mark.parametrize("dialog", DIALOGS)
def test_every_dialog_fits_the_small_terminal(looks_alike: Callable[..., bool], dialog: str) -> None:
    assert looks_alike(world.dashboard(), SMALL, DIALOGS[dialog])


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "200x60"])
def test_one_agent_in_full(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def open_agent(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "proceed?" in text_of(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: "attach" in text_of(pilot) and "proceed?" in text_of(pilot))
        await until(pilot, lambda: "quality-2 is asking" in text_of(pilot))

    assert snap_compare(world.dashboard(), terminal_size=size, run_before=open_agent)


def test_a_hive_whose_daemon_is_gone(looks_alike: Callable[..., bool]) -> None:
    journal = world.journal()
    journal.publish(json.dumps(world.document(at=world.before(minutes=12))).encode())
    hive = world.operator()
    hive.is_down = True
    assert looks_alike(world.dashboard(hive, journal), SMALL, shows="last seen 12m ago")


def test_a_hive_where_all_are_paused_on_purpose(looks_alike: Callable[..., bool]) -> None:
    paused = {"by": "ann", "why": "maintenance", "at": world.before(hours=1)}
    agents = [world.agent(f"quality-{n}", "paused", paused=paused) for n in range(3)]
    words = "all 3 agents are paused on purpose"
    hive = FakeOperator(world.document(agents=agents, verdict=words, settled=True))
    assert looks_alike(world.dashboard(hive), SMALL, shows=words)
