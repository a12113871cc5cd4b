"""What stands behind each tab: a table, and what is chosen in it in full."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from hive.dashboard import details, rows
from hive.dashboard.cells import Row
from hive.dashboard.looks import look_of
from hive.dashboard.watch import Sight
from hive.dashboard.widgets.table import Table
from hive.dashboard.widgets.terminal import TerminalView
from hive.decisions.one_line import one_line

MOST_BELOW = 50
"""Records under the agents: a table whose length stays costs no new layout."""


class Pane(Container):
    """One tab's content. It is given every sight, but draws only while it is shown."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.sight: Sight | None = None
        self.feed: Sequence[Row] = ()

    @property
    def tables(self) -> Sequence[Table]:
        """The first is the one that has the focus when the pane is opened."""
        return tuple(self.query(Table))

    def agent(self) -> str | None:
        """The agent that an operator's key is meant for."""
        return None

    def show(self, sight: Sight) -> None:
        self.sight = sight
        if self.display:
            self.draw(sight)

    def hear(self, feed: Sequence[Row]) -> None:
        """All rows of the feed, when there are new ones."""
        self.feed = feed
        if self.display:
            self.draw_feed(feed)

    def draw_feed(self, feed: Sequence[Row]) -> None:
        """Nothing, where a pane shows no journal."""

    def draw(self, sight: Sight) -> None:
        raise AssertionError("a pane draws itself")

    def reveal(self) -> None:
        """The pane has just been opened."""
        if self.sight is not None:
            self.draw(self.sight)
        self.draw_feed(self.feed)
        self.tables[0].focus()


class AgentsPane(Pane):
    """Agents; the chosen one's terminal; the newest of the journal where there is room."""

    def __init__(self, fetch: Callable[[str], Awaitable[list[str]]], *, id: str) -> None:
        super().__init__(id=id)
        self._fetch = fetch
        self._rows = rows.AgentRows()

    def compose(self) -> ComposeResult:
        with Container(id="agents-body"):
            yield Table(rows.AGENTS, empty="looking for agents…", id="agents-table")
            yield TerminalView(self._fetch, id="agents-terminal")
        feed = Table(rows.JOURNAL, empty="nothing is recorded yet", follow=True, id="agents-feed")
        feed.border_title = "journal"
        yield feed

    def agent(self) -> str | None:
        return self.query_one("#agents-table", Table).chosen

    def draw(self, sight: Sight) -> None:
        table = self.query_one("#agents-table", Table)
        table.say_when_empty("no agents are configured" if sight.fleet.at else "nothing was ever published")
        table.show(self._rows.of(sight.fleet, sight.at))
        self._follow()

    def draw_feed(self, feed: Sequence[Row]) -> None:
        self.query_one("#agents-feed", Table).show(feed[-MOST_BELOW:])

    def on_table_chosen(self) -> None:
        self._follow()

    def _follow(self) -> None:
        view = self.query_one(TerminalView)
        name = self.agent()
        view.follow(name)
        agents = self.sight.fleet.agents if self.sight else ()
        agent = next((agent for agent in agents if agent.name == name), None)
        if agent is None or self.sight is None:
            title = "terminal"
        else:
            detail = rows.detail_of(agent)
            words = f": {detail}" if detail else ""
            title = f"{agent.name} {look_of(agent.state).glyph} {agent.state}{words}"
        title = Content(one_line(title, max(10, view.size.width - 4))).markup
        if title != view.border_title:
            view.border_title = title


class SubjectsPane(Pane):
    """Work or pull requests: a table, and everything about the chosen one under it."""

    _described = Content("")

    def compose(self) -> ComposeResult:
        yield self.table()
        with VerticalScroll(classes="details"):
            yield Static(id=f"{self.id}-details", markup=False)

    def table(self) -> Table:
        raise AssertionError("a pane names its table")

    def detail(self, sight: Sight, key: str | None) -> Content:
        raise AssertionError("a pane describes what is chosen")

    def on_table_chosen(self) -> None:
        self._describe()

    def _describe(self) -> None:
        if self.sight is not None:
            described = self.detail(self.sight, self.tables[0].chosen)
            if described == self._described:
                return
            self._described = described
            self.query_one(f"#{self.id}-details", Static).update(described)


class WorkPane(SubjectsPane):
    def table(self) -> Table:
        return Table(rows.WORK, empty="no open issues were seen", id="work-table")

    def draw(self, sight: Sight) -> None:
        self.tables[0].show(rows.work_rows(sight.fleet))
        self._describe()

    def detail(self, sight: Sight, key: str | None) -> Content:
        for item in sight.fleet.work:
            if f"{item.repo}#{item.number}" == key:
                return details.of_work(item)
        return Content("")

    def agent(self) -> str | None:
        work = self.sight.fleet.work if self.sight else ()
        chosen = self.tables[0].chosen
        return next((item.agent for item in work if f"{item.repo}#{item.number}" == chosen), None)


class PullsPane(SubjectsPane):
    def table(self) -> Table:
        return Table(rows.PULLS, empty="no pull requests were seen", id="pulls-table")

    def draw(self, sight: Sight) -> None:
        self.tables[0].show(rows.pull_rows(sight.fleet))
        self._describe()

    def detail(self, sight: Sight, key: str | None) -> Content:
        for pull in sight.fleet.pull_requests:
            if f"{pull.repo}#{pull.number}" == key:
                return details.of_pull(pull, sight.at)
        return Content("")

    def agent(self) -> str | None:
        pulls = self.sight.fleet.pull_requests if self.sight else ()
        chosen = self.tables[0].chosen
        return next((pull.agent for pull in pulls if f"{pull.repo}#{pull.number}" == chosen), None)


class FindingsPane(Pane):
    """What agents found, and what they were refused."""

    def compose(self) -> ComposeResult:
        yield Table(rows.FINDINGS, empty="nothing was found yet", id="findings-table")
        refused = Table(rows.REFUSED, empty="nothing was refused", id="refused-table")
        refused.border_title = "refused"
        yield refused

    def draw(self, sight: Sight) -> None:
        self.query_one("#findings-table", Table).show(rows.finding_rows(sight.fleet, sight.at))
        self.query_one("#refused-table", Table).show(rows.refusal_rows(sight.fleet, sight.at))


class JournalPane(Pane):
    """Everything that was recorded, the newest last; the chosen record is told in full."""

    def compose(self) -> ComposeResult:
        yield Table(rows.JOURNAL, empty="nothing is recorded yet", follow=True, id="journal-table")
        yield Static(id="journal-details", markup=False)

    def draw(self, sight: Sight) -> None:
        """The journal changes with news, not with sights."""

    def draw_feed(self, feed: Sequence[Row]) -> None:
        self.query_one(Table).show(feed)

    def on_table_chosen(self) -> None:
        row = self.query_one(Table).chosen_row
        self.query_one("#journal-details", Static).update(row.cells[-1].text if row else "")
