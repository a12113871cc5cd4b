"""The dialog that sets the autonomy level: which level, for what, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from hive.facts.autonomy import LEVEL_NAMES

TAKE_BACK = "back"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a level is for: the hive, a repository or an agent."""

    kind: str
    name: str = ""

    @property
    def words(self) -> str:
        return "the whole hive" if self.kind == "hive" else f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class LevelOrder:
    """`level` None takes an earlier change back."""

    level: int | None
    scope: Scope
    why: str


class LevelScreen(ModalScreen[LevelOrder | None]):
    """Two lists and a line: enter moves on from one to the next, and from the last does it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Leave it")]

    def __init__(self, level: int | None, scopes: Sequence[Scope]) -> None:
        super().__init__()
        self._level = level
        self._scopes = tuple(scopes)

    def compose(self) -> ComposeResult:
        levels = [Option(f"{level.value} {name}", id=str(level.value)) for level, name in LEVEL_NAMES.items()]
        with Vertical(classes="dialog"):
            yield Label("Set the autonomy level", classes="dialog-title")
            with Horizontal(id="level-lists"):
                yield OptionList(*levels, Option("take a change back", id=TAKE_BACK), id="levels")
                yield OptionList(*(Option(Content(scope.words)) for scope in self._scopes), id="scopes")
            yield Input(placeholder="why (goes on record)", id="why")
            yield Label("1-6 or arrows: level   tab/enter: next   esc: leave it", classes="dialog-keys")

    def on_mount(self) -> None:
        self.query_one("#levels", OptionList).highlighted = (self._level or 1) - 1
        self.query_one("#scopes", OptionList).highlighted = 0

    def on_key(self, event: object) -> None:
        key = getattr(event, "key", "")
        levels = self.query_one("#levels", OptionList)
        if levels.has_focus and key in "123456" and key:
            levels.highlighted = int(key) - 1

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.focus_next()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        why = event.value.strip()
        if not why:
            self.notify("say why: it goes on record", severity="warning")
            return
        self.dismiss(LevelOrder(self._chosen_level(), self._chosen_scope(), why))

    def _chosen_level(self) -> int | None:
        option = self.query_one("#levels", OptionList).highlighted_option
        return None if option is None or option.id in (None, TAKE_BACK) else int(option.id)

    def _chosen_scope(self) -> Scope:
        return self._scopes[self.query_one("#scopes", OptionList).highlighted or 0]
