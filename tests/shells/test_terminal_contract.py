"""What every terminal keeps, on the fake, on a real tmux with a private socket, and over an exec stream.

All of it with no client attached: delivery must not depend on somebody watching.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hive.errors import Missing, Refused
from hive.facts.agents import PaneSighting
from hive.ports.terminal import SessionOrder, Terminal
from hive.shells.kubernetes.terminal import PodTerminal
from hive.shells.tmux import TmuxTerminal
from tests.fakes.terminal import Echo, Exits, FakeTerminal, Program
from tests.shells.kubernetes.pod_here import PodHere
from tests.shells.waiting import eventually

# The same programs, real and scripted, by a name.
REAL: Mapping[str, tuple[str, ...]] = {
    "echo": ("cat",),
    "banner": ("sh", "-c", "echo welcome; exec cat"),
    # The pause: what is written at the very end may be lost in tmux when it learns of the death first.
    "exit 3": ("sh", "-c", "echo last words; sleep 0.3; exit 3"),
    "killed": ("sh", "-c", "kill -9 $$"),
}
SCRIPTED: Mapping[tuple[str, ...], Program] = {
    REAL["echo"]: Echo(),
    REAL["banner"]: Echo("welcome\n"),
    REAL["exit 3"]: Exits(3, last_words="last words\n"),
    REAL["killed"]: Exits(signal=9),
}


@pytest.fixture(params=["fake", "tmux", "pod"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    if request.param == "fake":
        yield FakeTerminal(lambda order: SCRIPTED[order.argv])
        return
    pod = PodHere(tmp_path / "pod")
    real: Terminal = (
        TmuxTerminal(tmp_path / "tmux" / "s", timeout=20)
        if request.param == "tmux"
        else PodTerminal(pod.open, socket=str(pod.socket), timeout=20, silence=20)
    )
    try:
        yield real
    finally:
        for pane in real.look():
            real.stop(pane.name)
        real.close()
        pod.close()


def order(name: str, program: str = "echo", *, marks: Mapping[str, str] | None = None) -> SessionOrder:
    environment = {"PATH": "/usr/bin:/bin"}
    return SessionOrder(name, REAL[program], environment, "/", columns=60, rows=12, marks=marks or {})


def seen(terminal: Terminal, name: str) -> PaneSighting:
    return next(pane for pane in terminal.look() if pane.name == name)


def ended(terminal: Terminal, name: str) -> PaneSighting | None:
    """The pane, once its program has ended and how is known: tmux learns that a moment later."""
    pane = seen(terminal, name)
    return pane if pane.dead and (pane.exit_status, pane.exit_signal) != (None, None) else None


def shows(terminal: Terminal, name: str, text: str) -> None:
    eventually(lambda: text in terminal.capture([name]).get(name, ""), what=f"{text!r} on screen")


def test_an_empty_terminal_shows_nothing_and_takes_nothing(terminal: Terminal) -> None:
    assert terminal.look() == ()
    assert terminal.capture(["hive-a"]) == {}
    terminal.stop("hive-a")
    with pytest.raises(Missing):
        terminal.paste("hive-a", "text", {})
    with pytest.raises(Missing):
        terminal.press("hive-a", ["Enter"], {})
    with pytest.raises(Missing):
        terminal.mark("hive-a", {"intent": "1"})


def test_a_session_has_the_name_the_size_and_the_marks_of_its_order(terminal: Terminal) -> None:
    terminal.create(order("hive-a", marks={"intent": "i-1"}))
    pane = seen(terminal, "hive-a")
    assert (pane.name, pane.columns, pane.rows, pane.attached) == ("hive-a", 60, 12, 0)
    assert pane.marks == {"intent": "i-1"}
    assert pane.pid > 0
    assert (pane.dead, pane.exit_status, pane.exit_signal) == (False, None, None)
    assert pane.created_at.utcoffset() is not None


def test_a_second_session_of_the_same_name_is_refused_and_the_first_stands(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))
    pid = seen(terminal, "hive-a").pid
    with pytest.raises(Refused, match="hive-a"):
        terminal.create(order("hive-a"))
    assert [pane.pid for pane in terminal.look()] == [pid]


@pytest.mark.parametrize("name", ["", "a.b", "a:b", "-a", "a b", "a#b", "=a", "é"])
def test_a_name_that_tmux_would_change_is_an_error_of_the_caller(terminal: Terminal, name: str) -> None:
    with pytest.raises(ValueError):
        terminal.create(order(name))
    assert terminal.look() == ()


def test_an_order_without_a_program_is_an_error_of_the_caller(terminal: Terminal) -> None:
    with pytest.raises(ValueError):
        terminal.create(SessionOrder("hive-a", (), {}, "/"))


def test_a_stopped_session_is_gone_and_its_name_is_free(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))
    terminal.stop("hive-a")
    assert terminal.look() == ()
    terminal.stop("hive-a")
    terminal.create(order("hive-a"))
    assert [pane.name for pane in terminal.look()] == ["hive-a"]


def test_the_ending_of_a_sessions_programs_leaves_the_session_to_be_stopped(terminal: Terminal) -> None:
    for name in ("hive-a", "hive-b"):
        terminal.create(order(name))
    end = terminal.ending("hive-a", seen(terminal, "hive-a").identity)
    terminal.ending("hive-b", "of another")()
    with ThreadPoolExecutor(1) as other:
        other.submit(end).result(30)
    eventually(lambda: ended(terminal, "hive-a"), what="the end of its program")
    assert not seen(terminal, "hive-b").dead
    terminal.stop("hive-a")
    assert [pane.name for pane in terminal.look()] == ["hive-b"]
    terminal.ending("hive-a")()


def test_a_stop_that_comes_late_ends_no_later_session_of_the_name(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))
    first = seen(terminal, "hive-a").identity
    terminal.stop("hive-a", first)
    assert terminal.look() == ()
    terminal.create(order("hive-a"))
    second = seen(terminal, "hive-a")
    terminal.stop("hive-a", first)
    assert [(pane.identity, pane.pid, pane.dead) for pane in terminal.look()] == [
        (second.identity, second.pid, False)
    ]
    terminal.stop("hive-a", second.identity)
    assert terminal.look() == ()


def test_a_paste_arrives_and_sets_its_marks(terminal: Terminal) -> None:
    terminal.create(order("hive-a", "banner", marks={"kept": "1"}))
    shows(terminal, "hive-a", "welcome")
    terminal.paste("hive-a", "fix the bug; then rest;", {"prompt": "p-1"})
    shows(terminal, "hive-a", "fix the bug; then rest;")
    assert seen(terminal, "hive-a").marks == {"kept": "1", "prompt": "p-1"}


def test_an_empty_paste_only_sets_its_marks(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))
    terminal.paste("hive-a", "", {"prompt": "p-1"})
    assert seen(terminal, "hive-a").marks == {"prompt": "p-1"}


@pytest.mark.parametrize("text", ["a\x1b[201~b", "a\0b"])
def test_a_text_that_could_end_the_paste_is_an_error_of_the_caller(terminal: Terminal, text: str) -> None:
    terminal.create(order("hive-a"))
    with pytest.raises(ValueError):
        terminal.paste("hive-a", text, {"prompt": "p-1"})
    assert seen(terminal, "hive-a").marks == {}


def test_keys_are_pressed_in_order_and_set_their_marks(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))
    terminal.press("hive-a", ["x", ";", "Enter", "-", "y"], {"pressed": "1"})
    shows(terminal, "hive-a", "x;\n")
    shows(terminal, "hive-a", "-y")
    assert seen(terminal, "hive-a").marks == {"pressed": "1"}


def test_marks_are_added_replaced_and_taken_away(terminal: Terminal) -> None:
    terminal.create(order("hive-a", marks={"a": "1", "b": "2"}))
    terminal.mark("hive-a", {"b": "3", "c": "4"})
    assert seen(terminal, "hive-a").marks == {"a": "1", "b": "3", "c": "4"}
    terminal.mark("hive-a", {"a": "", "never": ""})
    assert seen(terminal, "hive-a").marks == {"b": "3", "c": "4"}


def test_marks_hold_any_text(terminal: Terminal) -> None:
    odd = {"a": "1,2;3 \\; #{pid} %d $HOME `x` ~ \"'", "ü": "ä\nb\tc", "long": "x" * 3000}
    terminal.create(order("hive-a"))
    terminal.mark("hive-a", odd)
    assert seen(terminal, "hive-a").marks == odd


def test_marks_set_a_thousand_times_stay_right(terminal: Terminal) -> None:
    terminal.create(order("hive-a", marks={"kept": "yes"}))
    for count in range(1000):
        terminal.mark("hive-a", {"beat": f"{count}", f"every{count % 3}": "x"})
        if count % 100 == 0:
            terminal.look()
    want = {"kept": "yes", "beat": "999", "every0": "x", "every1": "x", "every2": "x"}
    assert seen(terminal, "hive-a").marks == want


def test_a_program_that_ended_leaves_its_screen_and_its_status(terminal: Terminal) -> None:
    terminal.create(order("hive-a", "exit 3"))
    pane = eventually(lambda: ended(terminal, "hive-a"))
    assert (pane.exit_status, pane.exit_signal) == (3, None)
    assert terminal.capture(["hive-a"])["hive-a"].strip() == "last words"


def test_a_killed_program_shows_its_signal(terminal: Terminal) -> None:
    terminal.create(order("hive-a", "killed"))
    pane = eventually(lambda: ended(terminal, "hive-a"))
    assert (pane.exit_status, pane.exit_signal) == (None, 9)


def test_nothing_is_typed_into_a_dead_pane(terminal: Terminal) -> None:
    terminal.create(order("hive-a", "exit 3"))
    eventually(lambda: seen(terminal, "hive-a").dead)
    with pytest.raises(Refused):
        terminal.paste("hive-a", "text", {"prompt": "p-1"})
    with pytest.raises(Refused):
        terminal.press("hive-a", ["Enter"], {"pressed": "1"})
    assert seen(terminal, "hive-a").marks == {}
    terminal.mark("hive-a", {"noted": "1"})
    assert seen(terminal, "hive-a").marks == {"noted": "1"}


def test_captures_of_many_come_at_once_without_those_that_are_gone(terminal: Terminal) -> None:
    names = [f"hive-{number}" for number in range(5)]
    for name in names:
        terminal.create(order(name))
        terminal.paste(name, f"text of {name}.", {})
    for name in names:
        shows(terminal, name, f"text of {name}.")
    terminal.stop("hive-3")
    screens = terminal.capture([*names, "hive-nobody"])
    assert sorted(screens) == ["hive-0", "hive-1", "hive-2", "hive-4"]
    for name, screen in screens.items():
        assert screen.strip() == f"text of {name}."


def test_a_name_that_begins_another_reaches_only_itself(terminal: Terminal) -> None:
    for name in ("hive-a", "hive-ab", "hive-abc"):
        terminal.create(order(name))
    terminal.paste("hive-ab", "for ab", {"prompt": "ab"})
    shows(terminal, "hive-ab", "for ab")
    terminal.stop("hive-a")
    with pytest.raises(Missing):
        terminal.paste("hive-a", "for a", {"prompt": "a"})
    assert {pane.name: pane.marks for pane in terminal.look()} == {
        "hive-ab": {"prompt": "ab"},
        "hive-abc": {},
    }
    assert terminal.capture(["hive-abc"])["hive-abc"].strip() == ""


def test_history_shows_what_has_scrolled_away(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))
    for number in range(20):
        terminal.paste("hive-a", f"row {number}.", {})
        terminal.press("hive-a", ["Enter"], {})
    shows(terminal, "hive-a", "row 19.")
    assert "row 0." not in terminal.capture(["hive-a"])["hive-a"]
    eventually(lambda: "row 0." in terminal.capture(["hive-a"], history=100)["hive-a"])


def test_activity_changes_with_every_output_and_rests_without(terminal: Terminal) -> None:
    terminal.create(order("hive-a"))

    def rests() -> bool:
        first = seen(terminal, "hive-a").activity
        return first == seen(terminal, "hive-a").activity

    for letter in "abc":
        eventually(rests, what="a quiet pane's activity at rest")
        before = seen(terminal, "hive-a").activity
        terminal.paste("hive-a", letter, {})
        shows(terminal, "hive-a", letter)
        assert seen(terminal, "hive-a").activity != before


def test_the_watch_tells_of_output_and_of_every_death(terminal: Terminal) -> None:
    poked = threading.Event()
    terminal.watch(poked.set)
    terminal.create(order("hive-a"))
    for text in ("one", "two", "three"):
        eventually(poked.is_set)
        # Let what the step before has caused pass by, so that the next poke is of the next output.
        shows(terminal, "hive-a", "" if text == "one" else "t" if text == "three" else "one")
        poked.clear()
        terminal.paste("hive-a", text, {})
        eventually(poked.is_set, what=f"a poke for {text}")
    terminal.create(order("hive-b", "exit 3"))
    eventually(lambda: poked.is_set() and seen(terminal, "hive-b").dead)
