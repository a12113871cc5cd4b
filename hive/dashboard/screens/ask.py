"""Dialogs that ask for one line, or for a yes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList


class AskScreen(ModalScreen[str | None]):
    """Asks for a line of text; enter answers, escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Leave it")]

    def __init__(self, title: str, *, placeholder: str, required: bool = False) -> None:
        super().__init__()
        self._title = title
        self._placeholder = placeholder
        self._required = required

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="dialog-title", markup=False)
            yield Input(placeholder=self._placeholder, id="answer")
            yield Label("enter: do it   esc: leave it", classes="dialog-keys")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip() or not self._required:
            self.dismiss(event.value)


class ChooseScreen(ModalScreen[int | None]):
    """Has one of the options of a box chosen, by its number or by arrow keys and enter; escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Leave it"),
        *(Binding(str(number), f"choose({number})", show=False) for number in range(1, 10)),
    ]

    def __init__(self, title: str, question: str, options: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._question = question
        self._options = options

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="dialog-title", markup=False)
            yield Label(self._question, markup=False)
            offered = (f"{number}  {option}" for number, option in enumerate(self._options, 1))
            yield OptionList(*offered, id="options", markup=False)
            yield Label("1-9, or enter: answer so   esc: leave it", classes="dialog-keys")

    def action_choose(self, number: int) -> None:
        if number <= len(self._options):
            self.dismiss(number)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index + 1)


class ConfirmScreen(ModalScreen[bool]):
    """Asks for a yes; every other key is a no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Yes"),
        Binding("n,escape,q,enter", "dismiss(False)", "No"),
    ]

    def __init__(self, title: str, consequence: str) -> None:
        super().__init__()
        self._title = title
        self._consequence = consequence

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="dialog-title", markup=False)
            yield Label(self._consequence, markup=False)
            yield Label("y: do it   n: leave it", classes="dialog-keys")
