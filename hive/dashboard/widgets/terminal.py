"""A live view of one agent's terminal, fetched only while somebody can see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from hive.dashboard.ansi import Decoder, last_lines
from hive.dashboard.watch import in_one_line

REFRESH_SECONDS = 0.5


class TerminalView(Widget):
    """The end of an agent's screen, as much as there is room for."""

    COMPONENT_CLASSES = {"terminal--words"}

    def __init__(self, fetch: Callable[[str], Awaitable[str]], *, id: str) -> None:
        """`fetch` returns the screen of an agent with its colour escapes, or raises why it cannot."""
        super().__init__(id=id)
        self._fetch = fetch
        self._agent: str | None = None
        self._lines: list[str] = []
        self._strips: list[Strip] = []
        self._words = "no agent is chosen"
        self._decoder = Decoder()
        self._is_fetching = False

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
            text = await self._fetch(agent)
        except Exception as problem:
            if agent == self._agent:
                self._say(in_one_line(problem))
        else:
            if agent == self._agent:
                self._show(last_lines(text))
        finally:
            self._is_fetching = False
        if agent != self._agent:
            self.call_next(self.look)

    def _show(self, lines: list[str]) -> None:
        if not lines:
            self._say("the screen is empty")
        elif lines != self._lines:
            self._lines, self._words = lines, ""
            self._strips = [
                Strip(Segment.simplify(_without_end(text.render(self.app.console))))
                for text in self._decoder.decode(lines)
            ]
            self.refresh()

    def _say(self, words: str) -> None:
        if words != self._words:
            self._words, self._lines, self._strips = words, [], []
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        if self._words:
            style = self.get_component_rich_style("terminal--words")
            strip = Strip([Segment(self._words if y == 0 else "", style)])
        else:
            place = y + max(0, len(self._strips) - self.size.height)
            strip = self._strips[place] if place < len(self._strips) else Strip.blank(0)
        return strip.apply_style(_ground(base)).adjust_cell_length(width, base)


def _ground(style: Style) -> Style:
    return Style(color=style.color, bgcolor=style.bgcolor)


def _without_end(segments: Iterable[Segment]) -> list[Segment]:
    return [segment for segment in segments if segment.text != "\n"]
