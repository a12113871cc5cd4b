"""What waits for a person, each with the command that deals with it."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from hive.dashboard.fleet import Need
from hive.dashboard.looks import ago
from hive.dashboard.watch import Sight
from hive.decisions.one_line import one_line

MOST = 3
"""Lines: the rest is counted. More would push the agents off a small screen."""


class Needs(Static):
    """Takes room only while something waits."""

    _said: Content = Content("")

    def show(self, sight: Sight) -> None:
        lines = needs_lines(sight)
        if lines != self._said:  # an update lays the whole screen out anew
            self._said = lines
            self.set_class(not lines.plain, "-none")
            self.update(lines)


def needs_lines(sight: Sight) -> Content:
    """The oldest needs, a line each: how long, what, and the command; the command is never cut away."""
    needs = sight.fleet.needs
    lines = [_line(need, ago(need.since, sight.at)) for need in needs[:MOST]]
    if len(needs) > MOST:
        lines[-1] += Content.styled(f"   +{len(needs) - MOST}: hive notify list", "$text-muted")
    return Content("\n").join(lines)


def _line(need: Need, age: str) -> Content:
    what = one_line(f"{need.kind} {need.about}", 60)
    return (
        Content.styled(f"⚑ {what}", "bold $text-warning")
        + Content.styled(f" {age}", "$text-muted")
        + Content(f"  {one_line(need.command, 80)}")
        + Content.styled(f"  {one_line(need.text or '', 200)}", "$text-muted")
    )
