"""What every terminal tells of people who type in its sessions: on a real tmux, beside an exec stream, and on
the fake."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pytest

from hive.facts.agents import PaneSighting
from hive.ports.terminal import SessionOrder, Terminal
from hive.shells.kubernetes.terminal import PodTerminal
from hive.shells.tmux import TmuxTerminal
from hive.shells.tmux.keys import read_keys
from tests.fakes.terminal import FakeTerminal
from tests.shells.kubernetes.pod_here import PodHere
from tests.shells.person import Person
from tests.shells.waiting import eventually

NAME = "hive-a"
Attach = Callable[..., "Keyboard"]


class Keyboard(Protocol):
    def press(self, keys: bytes) -> None: ...

    def leave(self) -> None: ...


@dataclass
class FakePerson:
    terminal: FakeTerminal
    readonly: bool

    def __post_init__(self) -> None:
        self.terminal.panes[NAME].attached += 1

    def press(self, keys: bytes) -> None:
        if not self.readonly:
            pane = self.terminal.panes[NAME]
            pane.typed_at = (pane.typed_at or datetime(2030, 1, 1, tzinfo=UTC)) + timedelta(seconds=1)
            pane.typed_by = getpass.getuser()

    def leave(self) -> None:
        pane = self.terminal.panes[NAME]
        pane.attached, pane.typed_at, pane.typed_by = pane.attached - 1, None, ""


@dataclass
class Stage:
    """A terminal with one session, and who attaches to it."""

    terminal: Terminal
    attach: Attach

    def seen(self) -> PaneSighting:
        return next(pane for pane in self.terminal.look() if pane.name == NAME)

    @contextmanager
    def person(self, *options: str) -> Iterator[Keyboard]:
        before = self.seen().attached
        person = self.attach(*options)
        try:
            eventually(lambda: self.seen().attached == before + 1, what="the person's client")
            yield person
        finally:
            person.leave()

    def typing(self, person: Keyboard, *, later_than: datetime | None = None) -> datetime:
        """Press keys until one is seen; tmux's seconds have to go by for that."""

        def key() -> datetime | None:
            person.press(b"x")
            typed = self.seen().typed_at
            return typed if typed is not None and (later_than is None or typed > later_than) else None

        return eventually(key, what="a key of the person")


@pytest.fixture(params=["fake", "tmux", "pod"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    if request.param == "fake":
        fake = FakeTerminal()
        fake.create(SessionOrder(NAME, ("cat",), {}, "/"))
        yield Stage(fake, lambda *options: FakePerson(fake, "-r" in options))
        return
    pod = PodHere(tmp_path / "pod")
    socket = tmp_path / "tmux" / "s" if request.param == "tmux" else pod.socket
    real: Terminal = (
        TmuxTerminal(socket, timeout=20)
        if request.param == "tmux"
        else PodTerminal(pod.open, socket=str(socket), timeout=20, silence=20)
    )
    try:
        real.create(SessionOrder(NAME, ("cat",), {"PATH": "/usr/bin:/bin"}, "/", columns=60, rows=12))
        yield Stage(real, lambda *options: Person(socket, NAME, *options))
    finally:
        for pane in real.look():
            real.stop(pane.name)
        real.close()
        pod.close()


def test_a_person_who_types_is_seen_with_the_newest_key_until_the_person_leaves(stage: Stage) -> None:
    assert (stage.seen().typed_at, stage.seen().typed_by) == (None, "")
    with stage.person() as person:
        first = stage.typing(person)
        assert first.utcoffset() == timedelta()
        assert stage.seen().typed_by == getpass.getuser()
        assert stage.typing(person, later_than=first) > first
        rested = stage.seen().typed_at
        stage.terminal.paste(NAME, "hive's own words", {})
        stage.terminal.press(NAME, ["Enter"], {})
        eventually(lambda: "own words" in stage.terminal.capture([NAME])[NAME], what="what hive typed")
        assert stage.seen().typed_at == rested, "what hive types is no key of a person"
    eventually(lambda: stage.seen().attached == 0, what="the person's leave")
    assert (stage.seen().typed_at, stage.seen().typed_by) == (None, "")


def test_who_only_looks_on_types_nothing_whatever_keys_are_pressed(stage: Stage) -> None:
    with stage.person("-r") as onlooker, stage.person() as person:
        newest = stage.typing(person)
        for _ in range(5):
            onlooker.press(b"x")
            assert stage.seen().typed_at == newest
    with stage.person():
        assert stage.seen().typed_at is None, "who has attached and pressed nothing reads"


def test_only_keys_of_people_who_may_type_count_and_the_newest_of_each_session() -> None:
    lines = [
        "105,100,0,0,ada,hive-a",
        "107,100,0,0,bob,hive-a",
        "106,100,0,0,,a,b",
        "109,100,1,0,eve,hive-a",
        "109,100,0,1,hive,hive-c",
        "100,100,0,0,cid,hive-d",
        "",
    ]
    seen = {session: (int(keys.at.timestamp()), keys.by) for session, keys in read_keys(lines).items()}
    assert seen == {"hive-a": (107, "bob"), "a,b": (106, "")}
