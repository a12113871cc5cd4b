"""The start-up: what the program shows and asks before it takes prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hive_backends.scripted_agent import drawing
from hive_backends.scripted_agent.effects import Choose, End, Say, Steps, Wait
from hive_backends.scripted_agent.once import Once, is_due

if TYPE_CHECKING:
    from hive_backends.scripted_agent.program import Program

START_MARKS = ("limit", "logged-out", "out-of-credit", "context-full")
STRANGE = "Choose a theme for your terminal"
STRANGE_OPTIONS = ("Next", "Skip")


def start_up(program: Program) -> Steps:
    """As a turn: its steps, and the state that it ends in."""
    marks = program.marks
    if is_due("exit-at-start", marks, Once(program.home)):
        program.states.note("ended")
        raise SystemExit(int(marks.number("exit-at-start", 1)))
    program.terminal.say([f"{drawing.BOLD}* Scripted agent{drawing.PLAIN} is starting…", ""])
    if program.problem:
        yield Say(program.problem)
    for name in marks.unknown:
        yield Say(f"Unknown script mark, ignored: {name}")
    if "start-delay" in marks:
        yield Wait(marks.number("start-delay", 1))
    if "strange-screen" in marks:
        yield strange(marks.number("strange-screen", 3600))
    if "trust-box" in marks:
        yield from _ask_for_trust(first_is_yes=marks.text("trust-box") == "yes-first")
    if "picker-box" in marks:
        yield Choose("Which extra servers shall be used?", ("All of them", "None of them"))
    for name in START_MARKS:
        if name in marks:
            from hive_backends.scripted_agent.misbehaviour import locked

            return locked(name, marks)
    return End("done")


def strange(seconds: float) -> Choose:
    """A dialog that no classifier knows; it goes away by itself after `seconds`."""
    return Choose(STRANGE, STRANGE_OPTIONS, strange=True, seconds=seconds)


def _ask_for_trust(*, first_is_yes: bool) -> Steps:
    yes, no = "Yes, I trust this folder", "No, exit"
    options = (yes, no) if first_is_yes else (no, yes)
    chosen = yield Choose("Do you trust the files in this folder?", options)
    if not isinstance(chosen, int) or chosen < 0 or options[chosen] == no:
        raise SystemExit(1)
    return End("done")
