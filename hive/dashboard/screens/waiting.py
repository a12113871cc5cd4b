"""What waits for a person's word: held actions, each with what exactly, and incidents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from hive.dashboard.cells import Row
from hive.dashboard.fleet import Hold, Incident
from hive.dashboard.screens.ask import AskScreen, ConfirmScreen
from hive.dashboard.screens.watching import Attending
from hive.dashboard.watch import News, Sight
from hive.decisions.one_line import one_line, printable
from hive.facts.incidents import said_of

_LONGEST = 4000
Waiting = Hold | Incident


class Decided(Message):
    """A person's word on a held action, or on an incident (then `approved` says that it is closed)."""

    def __init__(self, about: Waiting, *, approved: bool, why: str) -> None:
        super().__init__()
        self.about = about
        self.approved = approved
        self.why = why


class WaitingScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve", "Approve"),
        Binding("d", "deny", "Deny"),
        Binding("c", "close", "Close incident"),
        Binding("escape", "app.pop_screen", "Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.is_attending = False
        self._waiting: tuple[Waiting, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static("Waiting for your word", classes="dialog-title", markup=False)
        yield OptionList(id="waiting", markup=False)
        with VerticalScroll(can_focus=False):
            yield Static(id="exactly", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#waiting").focus()
        self.is_attending = True
        self.post_message(Attending())

    def see(self, sight: Sight, journal: str) -> None:
        fleet = sight.fleet
        waiting: tuple[Waiting, ...] = (
            *(one for one in fleet.incidents if one.state == "open"),
            *(one for one in fleet.holds if one.state == "waiting"),
        )
        if waiting == self._waiting:
            self._tell()
            return
        chosen = self._chosen()
        self._waiting = waiting
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options([Option(_line(one), id=one.id) for one in waiting])
        ids = [one.id for one in waiting]
        # Never what a key was meant for a moment ago under another line.
        listed.highlighted = ids.index(chosen.id) if chosen and chosen.id in ids else (0 if ids else None)
        self._tell()

    def hear(self, news: News, feed: Sequence[Row]) -> None:
        """Nothing of it is shown here."""

    def agent_in_hand(self) -> str | None:
        chosen = self._chosen()
        return chosen.agent if chosen is not None else None

    @on(OptionList.OptionHighlighted)
    def _tell(self) -> None:
        chosen = self._chosen()
        told = exactly(chosen) if chosen is not None else "Nothing waits."
        self.query_one("#exactly", Static).update(Content(told))

    def _chosen(self) -> Waiting | None:
        at = self.query_one(OptionList).highlighted
        return self._waiting[at] if at is not None and at < len(self._waiting) else None

    def action_approve(self) -> None:
        chosen = self._chosen()
        if not isinstance(chosen, Hold):
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.post_message(Decided(chosen, approved=True, why=""))

        words = (
            f"{one_line(chosen.agent, 40)}: {one_line(chosen.action, 40)} on {one_line(chosen.target, 120)}"
        )
        self.app.push_screen(ConfirmScreen(f"Approve {chosen.id}, once and as it is shown?", words), answered)

    def action_deny(self) -> None:
        self._ask(Hold, "Deny", "why; the agent is told it", approved=False)

    def action_close(self) -> None:
        self._ask(Incident, "Close", "how it was dealt with, for the record", approved=True)

    def _ask(self, kind: type[Waiting], verb: str, placeholder: str, *, approved: bool) -> None:
        chosen = self._chosen()
        if chosen is None or not isinstance(chosen, kind):
            return
        about = chosen

        def answered(why: str | None) -> None:
            if why:
                self.post_message(Decided(about, approved=approved, why=why))

        title = f"{verb} {about.id}"
        self.app.push_screen(AskScreen(title, placeholder=placeholder, required=True), answered)


def _line(one: Waiting) -> str:
    if isinstance(one, Incident):
        return f"{one.id}  incident: {one_line(one.kind, 40)} at {one_line(one.where, 120)}"
    action, target = one_line(one.action, 40), one_line(one.target, 120)
    return f"{one.id}  {one_line(one.agent, 40)}: {action} on {target}"


def exactly(one: Waiting) -> str:
    """All that is known of it; foreign text moves no cursor."""
    if isinstance(one, Incident):
        agent = f"{one.agent} is stopped, its token is void. " if one.agent else ""
        rest = f"{agent}Nothing is merged in {one.repo} until it is closed."
        return f"{printable(said_of(one.kind))}\n{printable(one.evidence)}\n{rest}"
    until = f"{one.until:%Y-%m-%d %H:%M} UTC" if one.until else "an unknown time"
    text = "\n".join(f"│ {printable(line)}" for line in one.shown[:_LONGEST].splitlines())
    return f"held because {printable(one.because)} ({one.rule}), until {until}\n{text}"
