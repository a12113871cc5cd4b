"""What the keys do, and what the glyphs mean."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from hive.dashboard.looks import look_of
from hive.facts.agents import AgentState

_KEYS = (
    ("1-5, left/right", "open a tab"),
    ("up/down, j/k, g/G", "move; page up and page down by a page"),
    ("enter", "open the agent: its facts, terminal and journal"),
    ("p  r  R", "pause, resume, restart the agent"),
    ("s", "send text to the agent's terminal"),
    ("a", "answer the box that its program shows"),
    ("L", "set the autonomy level: hive, repository, agent"),
    ("w", "what waits for your word: approve, deny, close"),
    ("/  esc", "filter rows; show all again"),
    ("tab", "the next table or text"),
    ("q", "quit; agents and the daemon go on"),
)


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss(None)", "Close")
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog help"):
            yield Static(_text(), markup=False)


def _text() -> Content:
    keys = [Content.styled(f"{keys:<20}", "$text-accent") + Content(words) for keys, words in _KEYS]
    states = [f"{look_of(state).glyph} {state}" for state in AgentState]
    columns = [
        Content("".join(f"{state:<20}" for state in states[at : at + 3])) for at in range(0, len(states), 3)
    ]
    return Content("\n").join([*keys, Content(""), Content.styled("States", "bold"), *columns])
