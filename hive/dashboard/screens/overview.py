"""The first screen: everything at a glance, one tab for each kind of thing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Footer, Input, Label

from hive.dashboard.cells import Row
from hive.dashboard.looks import needs_a_person
from hive.dashboard.screens.agent import AgentScreen
from hive.dashboard.screens.watching import Attending
from hive.dashboard.watch import News, Sight, Watch
from hive.dashboard.widgets.heading import Heading, Trouble
from hive.dashboard.widgets.needs import Needs
from hive.dashboard.widgets.panes import AgentsPane, FindingsPane, JournalPane, Pane, PullsPane, WorkPane
from hive.dashboard.widgets.table import Table
from hive.dashboard.widgets.tabs import TabLine

TITLES = {
    "agents": "Agents",
    "work": "Work",
    "pulls": "Pull requests",
    "findings": "Findings",
    "journal": "Journal",
}


class Overview(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"pane('{name}')", show=False) for number, name in enumerate(TITLES, start=1)),
        Binding("left,h", "turn(-1)", "Previous tab", show=False),
        Binding("right,l", "turn(1)", "Next tab", show=False),
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("escape", "unfilter", "All rows", show=False),
    ]

    def __init__(self, watch: Watch, zone: tzinfo | None) -> None:
        super().__init__()
        self._watch = watch
        self._zone = zone
        self.is_attending = False

    def compose(self) -> ComposeResult:
        yield Heading(self._zone, id="heading")
        yield Trouble(id="trouble", classes="-none", markup=False)
        yield Needs(id="needs", classes="-none", markup=False)
        yield TabLine(TITLES, id="tabs")
        with ContentSwitcher(initial="agents", id="panes"):
            yield AgentsPane(self._watch.screen, id="agents")
            yield WorkPane(id="work")
            yield PullsPane(id="pulls")
            yield FindingsPane(id="findings")
            yield JournalPane(id="journal")
        with Horizontal(id="filter-line"):
            yield Label("rows that mention ")
            yield Input(id="filter", compact=True)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self._pane().reveal()
        self.is_attending = True
        self.post_message(Attending())

    def see(self, sight: Sight, journal: str) -> None:
        self.set_class(sight.stale, "-stale")
        self.query_one(Heading).show(sight)
        self.query_one(Trouble).show(sight, journal)
        self.query_one(Needs).show(sight)
        self.query_one(TabLine).count(counts(sight))
        for pane in self.query(Pane):
            pane.show(sight)

    def hear(self, news: News, feed: Sequence[Row]) -> None:
        for pane in self.query(Pane):
            pane.hear(feed)

    def agent_in_hand(self) -> str | None:
        return self._pane().agent()

    def action_pane(self, name: str) -> None:
        self.query_one(ContentSwitcher).current = name
        self.query_one(TabLine).activate(name)
        self._pane().reveal()
        self._apply_filter(self.query_one("#filter", Input).value)

    def action_turn(self, by: int) -> None:
        names = list(TITLES)
        self.action_pane(names[(names.index(self._pane().id or names[0]) + by) % len(names)])

    def action_filter(self) -> None:
        self.add_class("-filtering")
        self.query_one("#filter", Input).focus()

    def action_unfilter(self) -> None:
        self.query_one("#filter", Input).value = ""
        self.remove_class("-filtering")
        self._pane().tables[0].focus()

    @on(Input.Changed, "#filter")
    def filter_rows(self, event: Input.Changed) -> None:
        self._apply_filter(event.value)

    @on(Input.Submitted, "#filter")
    def keep_filter(self, event: Input.Submitted) -> None:
        self.set_class(bool(event.value), "-filtering")
        self._pane().tables[0].focus()

    @on(TabLine.Picked)
    def open_tab(self, event: TabLine.Picked) -> None:
        self.action_pane(event.name)

    @on(Table.Opened)
    def open_agent(self) -> None:
        agent = self.agent_in_hand()
        if agent is not None:
            self.app.push_screen(AgentScreen(agent, self._watch, self._zone))

    def _pane(self) -> Pane:
        return self.query_one(f"#{self.query_one(ContentSwitcher).current}", Pane)

    def _apply_filter(self, needle: str) -> None:
        for pane in self.query(Pane):
            for table in pane.tables:
                table.filter(needle)


def counts(sight: Sight) -> dict[str, str]:
    """What the tabs say behind their titles; of agents also how many need a person."""
    fleet = sight.fleet
    waiting = sum(needs_a_person(agent.state) for agent in fleet.agents)
    eligible = sum(item.eligible for item in fleet.work)
    pulls = sum(pull.state == "open" for pull in fleet.pull_requests)
    numbers = {
        "agents": f"{len(fleet.agents)}{f' ({waiting}!)' if waiting else ''}",
        "work": str(eligible),
        "pulls": str(pulls),
        "findings": str(len(fleet.findings) + len(fleet.refused)),
    }
    return {name: number for name, number in numbers.items() if number != "0"}
