"""A table that costs what can be seen of it.

Textual's `DataTable` measures and styles every cell that changes, seen or not (300 rows at 1 Hz: 8 % of
a core). This one keeps rows as plain text, draws the visible ones, and redraws those that changed. Its
columns give way by importance, so that it says the most that 80 columns can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hive.dashboard.cells import Cell, Row
from hive.dashboard.columns import GAP, Column, Fitted, fit
from hive.dashboard.looks import Tone


class Table(ScrollView, can_focus=True):
    """Rows under a fixed head, one of them chosen."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--head",
        "table--cursor",
        "table--empty",
        *(f"table--{tone}" for tone in Tone),
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(0)", "First", show=False),
        Binding("end,G", "edge(-1)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
    ]

    class Chosen(Message):
        """The cursor is on another row, or on none."""

        def __init__(self, table: Table, key: str | None) -> None:
            super().__init__()
            self.table = table
            self.key = key

        @property
        def control(self) -> Table:
            return self.table

    class Opened(Chosen):
        """Enter, or a click on the chosen row."""

    def __init__(self, columns: Sequence[Column], *, empty: str, follow: bool = False, id: str) -> None:
        """`empty` is shown instead of rows; with `follow` the last row stays chosen while more come."""
        super().__init__(id=id)
        self._columns = tuple(columns)
        self._empty = empty
        self._follow = follow
        self._all: tuple[Row, ...] = ()
        self._rows: tuple[Row, ...] = ()
        self._fitted: tuple[Fitted, ...] = ()
        self._needle = ""
        self._cursor = 0
        self._styles_of: dict[str, Style] = {}

    @property
    def chosen(self) -> str | None:
        """The key of the row under the cursor."""
        return self._rows[self._cursor].key if self._rows else None

    @property
    def chosen_row(self) -> Row | None:
        return self._rows[self._cursor] if self._rows else None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that the filter lets through, in order."""
        return self._rows

    @property
    def _room(self) -> int:
        """Cells beside the scroll bar, whose room is always kept (`scrollbar-gutter`)."""
        return self.scrollable_content_region.width

    def show(self, rows: Sequence[Row]) -> None:
        """Show these rows; the cursor stays with its key."""
        self._all = tuple(rows)
        self._settle()

    def filter(self, needle: str) -> None:
        """Show only rows that mention `needle`, in any case; empty for all."""
        self._needle = needle.casefold()
        self._settle()

    def say_when_empty(self, words: str) -> None:
        if words != self._empty:
            self._empty = words
            if not self._rows:
                self.refresh()

    def _settle(self) -> None:
        before, chosen, cursor = self._rows, self.chosen, self._cursor
        at_end = self._follow and (not before or cursor == len(before) - 1)
        rows = tuple(row for row in self._all if not self._needle or row.mentions(self._needle))
        self._rows = rows
        self._cursor = self._place_of(chosen, at_end)
        self._measure()
        if len(rows) != len(before):
            self.virtual_size = Size(self._room, len(rows) + 1)
            self.refresh()
        else:
            self._refresh_changed(before, cursor)
        if self._cursor != cursor or at_end:
            self._keep_in_sight()
        if self.chosen != chosen:
            self.post_message(self.Chosen(self, self.chosen))

    def _place_of(self, chosen: str | None, at_end: bool) -> int:
        if not self._rows or at_end:
            return max(0, len(self._rows) - 1)
        if chosen is not None:
            for place, row in enumerate(self._rows):
                if row.key == chosen:
                    return place
        return min(self._cursor, len(self._rows) - 1)

    def _refresh_changed(self, before: Sequence[Row], cursor: int) -> None:
        first = self.scroll_offset.y
        for place in range(first, min(len(self._rows), first + self.size.height)):
            moved = cursor != self._cursor and place in (cursor, self._cursor)
            if moved or (self._rows[place] is not before[place] and self._rows[place] != before[place]):
                self.refresh_line(place + 1)

    def _measure(self) -> None:
        titles = tuple(cell_len(column.title) for column in self._columns)
        wanted = [max(widths) for widths in zip(titles, *(row.widths for row in self._rows), strict=True)]
        fitted = fit(self._columns, wanted, self._room)
        if fitted != self._fitted:
            self._fitted = fitted
            self.refresh()

    def on_resize(self) -> None:
        self.virtual_size = Size(self._room, len(self._rows) + 1)
        self._measure()
        self._keep_in_sight()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_of.clear()

    def render_line(self, y: int) -> Strip:
        width = self._room
        base = self._style("plain")
        if y == 0:
            return self._draw([Cell(column.title) for column in self._columns], self._style("head"), width)
        place = y - 1 + self.scroll_offset.y
        if place < len(self._rows):
            row = self._rows[place]
            return self._draw(row.cells, self._style("cursor") if place == self._cursor else base, width)
        words = self._said_instead() if y == 1 else ""
        return Strip([Segment(set_cell_size(words, width), self._style("empty"))], width)

    def _said_instead(self) -> str:
        if self._rows:
            return ""
        return f"nothing here mentions '{self._needle}'" if self._all else self._empty

    def _draw(self, cells: Sequence[Cell], base: Style, width: int) -> Strip:
        segments: list[Segment] = []
        drawn = 0
        for fitted in self._fitted:
            if drawn:
                segments.append(Segment(" " * GAP, base))
                drawn += GAP
            cell = cells[fitted.index]
            style = base if cell.tone is Tone.PLAIN else base + self._colour(cell.tone)
            segments.append(Segment(_cut(cell.text, fitted.width), style))
            drawn += fitted.width
        if drawn < width:
            segments.append(Segment(" " * (width - drawn), base))
        return Strip(segments, max(width, drawn)).crop(0, width)

    def _style(self, name: str) -> Style:
        style = self._styles_of.get(name)
        if style is None:
            style = self._styles_of[name] = self.get_component_rich_style(f"table--{name}")
        return style

    def _colour(self, tone: Tone) -> Style:
        style = self._style(tone)
        return Style(color=style.color, bold=style.bold)

    def action_move(self, by: int) -> None:
        self._choose(self._cursor + by)

    def action_page(self, by: int) -> None:
        self._choose(self._cursor + by * max(1, self.size.height - 2))

    def action_edge(self, place: int) -> None:
        self._choose(place if place >= 0 else len(self._rows) - 1)

    def action_open(self) -> None:
        if self._rows:
            self.post_message(self.Opened(self, self.chosen))

    def on_click(self, event: events.Click) -> None:
        place = event.y - 1 + self.scroll_offset.y
        if event.y > 0 and place < len(self._rows):
            if place == self._cursor:
                self.action_open()
            else:
                self._choose(place)

    def _choose(self, place: int) -> None:
        place = max(0, min(place, len(self._rows) - 1))
        if not self._rows or place == self._cursor:
            return
        self.refresh_line(self._cursor + 1)
        self.refresh_line(place + 1)
        self._cursor = place
        self._keep_in_sight()
        self.post_message(self.Chosen(self, self.chosen))

    def _keep_in_sight(self) -> None:
        shown = max(1, self.size.height - 1)
        first = self.scroll_offset.y
        if self._cursor < first:
            self.scroll_to(y=self._cursor, animate=False, force=True)
        elif self._cursor >= first + shown:
            self.scroll_to(y=self._cursor - shown + 1, animate=False, force=True)


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…" if width > 1 else set_cell_size(text, width)
