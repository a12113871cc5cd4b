"""One agent: what it is at, its terminal, and what the journal says of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from hive.dashboard import details, rows
from hive.dashboard.cells import Row
from hive.dashboard.screens.watching import Attending
from hive.dashboard.watch import News, Sight, Watch
from hive.dashboard.widgets.heading import Trouble
from hive.dashboard.widgets.table import Table
from hive.dashboard.widgets.terminal import TerminalView

MOST_RECORDS = 200


class AgentScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,backspace", "app.pop_screen", "Back")]

    def __init__(self, agent: str, watch: Watch, zone: tzinfo | None) -> None:
        super().__init__()
        self._agent = agent
        self._watch = watch
        self._zone = zone
        self.is_attending = False
        self._described = Content("")
        self._feed = Table(rows.JOURNAL, empty="nothing is recorded about it", follow=True, id="agent-feed")
        self._feed.border_title = "journal"

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(self._agent, "bold"), id="agent-name")
        yield Trouble(id="trouble", classes="-none", markup=False)
        yield Static("looking…", id="agent-facts", markup=False)
        view = TerminalView(self._watch.screen, id="agent-terminal")
        view.border_title = "terminal"
        yield view
        yield self._feed
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(TerminalView).follow(self._agent)
        self._feed.focus()
        self._read_journal()
        self.is_attending = True
        self.post_message(Attending())

    def see(self, sight: Sight, journal: str) -> None:
        self.query_one(Trouble).show(sight, journal)
        agent = next((agent for agent in sight.fleet.agents if agent.name == self._agent), None)
        described = details.of_agent(agent, sight.at) if agent else Content("no longer in the configuration")
        if described != self._described:
            self._described = described
            self.query_one("#agent-facts", Static).update(described)

    def hear(self, news: News, feed: Sequence[Row]) -> None:
        if news.skipped or any(record.event.subject == self._agent for record in news.records):
            self._read_journal()

    def agent_in_hand(self) -> str | None:
        return self._agent

    def _read_journal(self) -> None:
        self.run_worker(self._read(), group="about", exclusive=True)

    async def _read(self) -> None:
        news = await self._watch.about(self._agent, MOST_RECORDS)
        self._feed.say_when_empty(news.trouble or "nothing is recorded about it")
        self._feed.show(rows.journal_rows(news.records, self._zone))
