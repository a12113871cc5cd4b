"""A live view of one agent's terminal, fetched only while somebody can see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from hive.dashboard.ansi import Decoder
from hive.dashboard.watch import in_one_line

REFRESH_SECONDS = 0.5


class TerminalView(Widget):
    """The end of an agent's screen, as much as there is room for."""

    COMPONENT_CLASSES = {"terminal--words"}

    def __init__(self, fetch: Callable[[str], Awaitable[list[str]]], *, id: str) -> None:
        """`fetch` returns the last lines of an agent's screen (`ansi.last_lines`), or raises why not."""
        super().__init__(id=id)
        self._fetch = fetch
        self._agent: str | None = None
        self._lines: list[str] = []
        self._texts: list[Text] = []
        self._words = "no agent is chosen"
        self._decoder = Decoder()
        self._is_fetching = False
        self._base: Style | None = None

    def on_mount(self) -> None:
        self.set_interval(REFRESH_SECONDS, self.look)

    def follow(self, agent: str | None) -> None:
        """Show this agent's terminal from now on."""
        if agent == self._agent:
            return
        self._agent = agent
        self._say("looking…" if agent else "no agent is chosen")
        self.look()

    def look(self) -> None:
        """Fetch the screen, unless that is under way or nobody would see it."""
        if self._agent is None or self._is_fetching or not self._is_seen():
            return
        self._is_fetching = True
        self.run_worker(self._look(self._agent), exit_on_error=True)

    def _is_seen(self) -> bool:
        return self.is_attached and self.screen.is_current and self.size.area > 0 and self.is_on_screen

    async def _look(self, agent: str) -> None:
        try:
            lines = await self._fetch(agent)
        except Exception as problem:
            if agent == self._agent:
                self._say(in_one_line(problem))
        else:
            if agent == self._agent:
                self._show(lines)
        finally:
            self._is_fetching = False
        if agent != self._agent:
            self.call_next(self.look)

    def _show(self, lines: list[str]) -> None:
        if not lines:
            self._say("the screen is empty")
        elif lines != self._lines:
            before = self._texts
            self._lines, self._words = lines, ""
            self._texts = self._decoder.decode(lines)
            self._refresh_changed(before)

    def _refresh_changed(self, before: list[Text]) -> None:
        """Mostly one line of a screen changes, a spinner; the decoder keeps the others' very objects."""
        if len(before) != len(self._texts):
            self.refresh()
            return
        first = self._first()
        for place in range(first, min(len(before), first + self.size.height)):
            if before[place] is not self._texts[place]:
                self.refresh(Region(0, place - first, self.size.width, 1))

    def _first(self) -> int:
        return max(0, len(self._texts) - self.size.height)

    def _say(self, words: str) -> None:
        if words != self._words:
            self._words, self._lines, self._texts = words, [], []
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self._ground()
        if self._words:
            style = self.get_component_rich_style("terminal--words")
            strip = Strip([Segment(self._words if y == 0 else "", style)])
        else:
            place = y + self._first()
            segments = self._texts[place].render(self.app.console) if place < len(self._texts) else ()
            strip = Strip([segment for segment in segments if segment.text != "\n"])
        return strip.apply_style(base).adjust_cell_length(width, base)

    def _ground(self) -> Style:
        """Our own colours: asking the style sheet for each line would cost more than drawing it."""
        if self._base is None:
            style = self.rich_style
            self._base = Style(color=style.color, bgcolor=style.bgcolor)
        return self._base

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._base = None
