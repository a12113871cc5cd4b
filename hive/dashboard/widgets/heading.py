"""The lines above everything: level, verdict, whether the supervisor answers, and the time."""

from __future__ import annotations

from datetime import tzinfo

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from hive.dashboard.looks import ago, needs_a_person
from hive.dashboard.watch import Sight
from hive.decisions.one_line import one_line


class Heading(Widget):
    """Two lines: what this hive is and may do; then the verdict on the whole."""

    def __init__(self, zone: tzinfo | None, id: str) -> None:
        super().__init__(id=id)
        self._zone = zone
        self._sight: Sight | None = None

    def show(self, sight: Sight) -> None:
        self._sight = sight
        self.refresh()

    def render(self) -> Content:
        if self._sight is None:
            return Content.styled("hive", "bold") + Content("  looking…")
        top = _apart(level_line(self._sight), self._status(self._sight), self.size.width)
        return top + Content("\n") + verdict_line(self._sight)

    def _status(self, sight: Sight) -> Content:
        clock = Content(f"  {sight.at.astimezone(self._zone):%H:%M:%S}")
        if sight.stale:
            return Content.styled("○ daemon not answering", "$text-error") + clock
        pid = f" {sight.fleet.pid}" if sight.fleet.pid else ""
        return Content.styled(f"● daemon{pid}", "$text-success") + clock


def level_line(sight: Sight) -> Content:
    """The level and its name, and how far the supervisor has come."""
    fleet = sight.fleet
    words = Content.styled("hive", "bold")
    if fleet.level is not None:
        name = one_line(fleet.level_name or "", 20)
        words += Content("  ") + Content.styled(
            f" L{fleet.level} {name} ", "bold $text-accent on $accent-muted"
        )
    if fleet.tick is not None:
        state = "settled" if fleet.settled else "at work"
        words += Content.styled(f"  {state} · tick {fleet.tick}", "$text-muted")
    return words


def verdict_line(sight: Sight) -> Content:
    """The verdict on the whole, in the colour of the worst that needs a person."""
    alarm = any(needs_a_person(agent.state) for agent in sight.fleet.agents)
    style = "$text-muted" if sight.stale else "bold $text-error" if alarm else "$text"
    return Content.styled(one_line(sight.fleet.verdict or "", 300), style)


class Trouble(Static):
    """What is wrong with hive itself: it takes room only while something is."""

    _said: tuple[str, ...] = ()

    def show(self, sight: Sight, journal: str) -> None:
        """`journal` says why the journal cannot be read; empty when it can."""
        lines = tuple(troubles(sight, journal)[:3])
        if lines != self._said:  # an update lays the whole screen out anew
            self._said = lines
            self.set_class(not lines, "-none")
            self.update(Content("\n".join(lines)))


def troubles(sight: Sight, journal: str) -> list[str]:
    """One line for each: the supervisor, the journal, ports that fail, what could not be read."""
    lines = []
    if sight.stale:
        seen = f"last seen {ago(sight.fleet.at, sight.at)} ago" if sight.fleet.at else "never seen"
        lines.append(f"{sight.trouble} ({seen}); trying again")
    if journal:
        lines.append(f"journal: {journal}")
    for port in sight.fleet.ports:
        if port.state != "ok":
            since = f" for {ago(port.since, sight.at)}" if port.since else ""
            lines.append(one_line(f"{port.name} {port.state}{since}: {port.message or 'no reason given'}"))
    if sight.fleet.unread:
        lines.append(f"parts of the status that this dashboard cannot read: {', '.join(sight.fleet.unread)}")
    return lines


def _apart(left: Content, right: Content, width: int) -> Content:
    space = width - cell_len(left.plain) - cell_len(right.plain)
    if space < 1:
        return left
    return left + Content(" " * space) + right
