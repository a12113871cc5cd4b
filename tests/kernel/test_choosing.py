"""Boxes are answered key by key, with a look before each, by hive's rules and for operators."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest

from hive.contracts.backend import Backend
from hive.decisions.dialogs import box_of
from hive.errors import ConfigError, Refused
from hive.facts import events as e
from hive.facts import intents as i
from hive.facts.screens import Screen, ScreenState
from hive.kernel.act import act
from tests.fakes.terminal import FakePane
from tests.kernel.house import Chat, House, WordBackend
from tests.kernel.test_act import SESSION, A, house, outcome
from tests.kernel.test_supervisor import running


class Boxed(Chat):
    """Shows a box; arrows move the mark, Enter takes what is marked. `deaf` moves nothing."""

    options = ("No, exit", "Yes, I trust it")

    def __init__(self, *, deaf: bool = False) -> None:
        self.place, self.deaf, self.taken = 0, deaf, ""

    def start(self, pane: FakePane) -> None:
        pane.show(f"asking {self.place}")

    def pressed(self, pane: FakePane, key: str) -> None:
        if key == "Enter":
            self.taken = self.options[self.place]
            pane.show("ready")
        elif not self.deaf:
            self.place += {"Down": 1, "Up": -1}[key]
            pane.show(f"asking {self.place}")


class BoxBackend(WordBackend):
    def read(self, screen: str, *, now: datetime, zone: str = "UTC") -> Screen:
        word, _, place = screen.strip().partition(" ")
        if word != "asking":
            return Screen(ScreenState(word))
        return Screen(ScreenState.ASKING, "Trust?", options=Boxed.options, chosen=int(place))


BOX = box_of(Screen(ScreenState.ASKING, "Trust?", options=Boxed.options))


BOXED: Mapping[str, Backend] = {"scripted": BoxBackend()}


@asynccontextmanager
async def boxed(program: Boxed) -> AsyncIterator[House]:
    async with house() as below:
        below.hands.backends = BOXED
        pane = below.terminal.panes[SESSION]
        pane.program = program
        program.start(pane)
        yield below


def answer(option: str, box: str = BOX) -> i.AnswerDialog:
    return i.AnswerDialog(agent=A, box=box, option=option, rule="trust", number=4)


@pytest.mark.parametrize(
    ("option", "keys"), [("Yes, I trust it", ["Down", "Enter"]), ("No, exit", ["Enter"])]
)
async def test_an_option_is_taken_once_it_is_seen_to_be_marked(option: str, keys: list[str]) -> None:
    program = Boxed()
    async with boxed(program) as below:
        assert outcome(await act(answer(option), below.hands)) == ("done", option)
        pane = below.terminal.panes[SESSION]
        assert (program.taken, pane.pressed, pane.marks["answered"]) == (option, keys, "4")


async def test_no_key_is_pressed_where_another_box_stands() -> None:
    async with boxed(Boxed()) as below:
        assert outcome(await act(answer("No, exit", box="another"), below.hands))[0] == "moved"
        below.terminal.panes[SESSION].show("ready")
        assert outcome(await act(answer("No, exit"), below.hands))[0] == "moved"
        assert below.terminal.panes[SESSION].pressed == []


async def test_an_option_that_cannot_be_reached_is_never_taken_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hive.kernel.choosing._REDRAWN", 0.0)
    program = Boxed(deaf=True)
    async with boxed(program) as below:
        assert outcome(await act(answer("Yes, I trust it"), below.hands))[0] == "refused"
        assert program.taken == ""


async def test_an_operator_chooses_by_number_or_text_and_it_is_on_record(tmp_path: Path) -> None:
    program = Boxed()
    async with boxed(program) as below, running(tmp_path, below) as daemon:
        with pytest.raises(
            ConfigError, match=r"which option\? Trust\? \[1\. No, exit, 2\. Yes, I trust it\]"
        ):
            await daemon.ask(lambda op: op.answer(A, "3", by="ada"))
        with pytest.raises(Refused, match="quality-1 shows a box, which takes no text"):
            await daemon.ask(lambda op: op.send(A, "go on", by="ada"))
        assert await daemon.ask(lambda op: op.answer(A, "2", by="ada")) == "Yes, I trust it"
        assert program.taken == "Yes, I trust it"
        assert below.events(e.DialogAnswered) == [
            e.DialogAnswered(agent=A, by="ada", question="Trust?", option="Yes, I trust it")
        ]
        with pytest.raises(Refused, match="quality-1 shows no box to choose in; it is ready"):
            await daemon.ask(lambda op: op.answer(A, "2", by="ada"))


async def test_who_opens_a_terminal_is_on_record(tmp_path: Path) -> None:
    async with boxed(Boxed()) as below, running(tmp_path, below) as daemon:
        await daemon.ask(lambda op: op.attached(A, by="ada"))
        assert below.events(e.AgentAttached) == [e.AgentAttached(agent=A, by="ada")]
