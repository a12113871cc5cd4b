"""The names of the panes on one line, with how much each holds; Textual's own tabs take three."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget


class TabLine(Widget):
    """`1 Agents 12  2 Work 8 …`; a click or its number opens one."""

    class Picked(Message):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, titles: Mapping[str, str], *, id: str) -> None:
        """`titles` are by the name of the pane, in order."""
        super().__init__(id=id)
        self._titles = dict(titles)
        self._counts: dict[str, str] = {}
        self._active = next(iter(self._titles))

    def activate(self, name: str) -> None:
        self._active = name
        self.refresh()

    def count(self, counts: Mapping[str, str]) -> None:
        """What stands behind the titles, by name."""
        if counts != self._counts:
            self._counts = dict(counts)
            self.refresh()

    def render(self) -> Content:
        line = Content("")
        for name, label in self._labels():
            style = "bold $text on $primary" if name == self._active else "$text-muted"
            line += Content.styled(label, style)
        return line

    def _labels(self) -> list[tuple[str, str]]:
        labels = []
        for number, (name, title) in enumerate(self._titles.items(), start=1):
            count = self._counts.get(name, "")
            labels.append((name, f" {number} {title}{f' {count}' if count else ''} "))
        return labels

    def on_click(self, event: events.Click) -> None:
        end = 0
        for name, label in self._labels():
            end += len(label)
            if event.x < end:
                self.post_message(self.Picked(name))
                return
