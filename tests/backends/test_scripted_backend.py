"""The scripted agent's plug-in: how it is started, told from other processes, and read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hive.contracts.backend import Launch, Process, Seat
from hive.facts.agents import AgentSpec, Turn
from hive.facts.screens import Screen, ScreenState
from hive_backends.scripted import backend
from tests.backends.stage import NOW

SCREENS = Path(__file__).parent / "screens" / "scripted"
SEAT = Seat(
    spec=AgentSpec(name="a", role="scanner", backend="scripted"),
    home="/seats/a",
    workdir="/seats/a/work",
    environment={"PATH": "/usr/bin", "HIVE_PYTHON": "/venv/bin/python"},
    generation=3,
)
RESTARTED = Turn("p1", ended=True, outcome="lost", detail="the agent was restarted")


def recorded(name: str) -> str:
    return (SCREENS / f"{name}.txt").read_text(encoding="utf-8")


def read(screen: str) -> Screen:
    return backend.read(screen, now=NOW)


# -- starting -------------------------------------------------------------------------------------


def test_it_is_started_by_the_interpreter_of_the_seat_with_the_environment_of_the_seat() -> None:
    assert backend.launch(SEAT) == Launch(
        argv=("/venv/bin/python", "-P", "-m", "hive_backends.scripted_agent"),
        environment={**SEAT.environment, "HOME": "/seats/a", "SCRIPTED_GENERATION": "3"},
    )


def test_without_an_interpreter_in_the_seat_python3_is_taken_from_the_path() -> None:
    launch = backend.launch(replace(SEAT, environment={"PATH": "/usr/bin"}))
    assert launch.argv == ("python3", "-P", "-m", "hive_backends.scripted_agent")


def test_the_operators_command_and_environment_win() -> None:
    spec = replace(SEAT.spec, command=("env", "mine"), environment=(("SCRIPTED_PACE", "1"),))
    launch = backend.launch(replace(SEAT, spec=spec))
    assert (launch.argv, launch.environment["SCRIPTED_PACE"]) == (("env", "mine"), "1")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (("/venv/bin/python", "-m", "hive_backends.scripted_agent"), True),
        (("python3.11", "-u", "-m", "hive_backends.scripted_agent", "--more"), True),
        (("bash", "run.sh", "-m", "hive_backends.scripted_agent"), False),
        (("bash", "-c", "python3 -m hive_backends.scripted_agent"), False),
        (("timeout", "5", "python3", "-m", "hive_backends.scripted_agent"), False),
        (("python3", "-m", "hive_backends.other"), False),
        (("git", "push"), False),
        ((), False),
    ],
)
def test_only_the_program_itself_is_the_agent(argv: tuple[str, ...], expected: bool) -> None:
    assert backend.is_agent(Process(pid=2, parent=1, argv=argv)) is expected


# -- screens --------------------------------------------------------------------------------------


@pytest.mark.parametrize("screen", ["", "\n\n  \n", "\x1b[0m\n\x1b[39m"])
def test_an_empty_screen_is_starting(screen: str) -> None:
    assert read(screen).state is ScreenState.STARTING


@pytest.mark.parametrize(
    "prompt",
    [
        "bash-5.2$ ",
        "root@host:/work# ",
        "user@host:~/x (main)$",
        "$",
        "# ",
        "~ % ",
        "[user@host ~]$",
        "sh-5.2#",
    ],
)
def test_a_bare_shell_prompt_is_exited_even_below_what_the_program_left(prompt: str) -> None:
    assert read(prompt).state is ScreenState.EXITED
    assert read(f"{recorded('ready/fresh').rstrip()}\n{prompt}").state is ScreenState.EXITED


@pytest.mark.parametrize(
    "screen",
    [
        "$ git status\nOn branch main",
        "Password:",
        "root@host:~# rm -rf x",
        "I paid 5 $",
        "Welcome\n\n[Next]  ↑/↓ Navigate",
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'hive_backends'",
    ],
)
def test_a_screen_that_is_none_of_its_own_is_unknown(screen: str) -> None:
    assert read(screen).state is ScreenState.UNKNOWN


def test_a_shell_prompt_written_into_the_composer_is_not_ready() -> None:
    drawn = recorded("ready/fresh").replace("> ▏", "> bash-5.2$ ▏")
    assert read(drawn).state is ScreenState.UNKNOWN


@pytest.mark.parametrize(
    "said",
    [
        "■ Usage limit reached · resets 3pm (Europe/Berlin)",
        "✻ Working… (12s · esc to interrupt)",
        "✗ Not logged in · run /login",
        "no rate limiting, no intervention needed",
        "❯ 1. Yes\n  2. No\n  ↑/↓ to move · enter to choose",
    ],
)
def test_what_stands_above_the_empty_row_is_what_the_agent_says(said: str) -> None:
    assert read(f"{said}\n{recorded('ready/fresh').lstrip()}").state is ScreenState.READY


def test_an_unknown_status_in_its_place_is_unknown_and_told() -> None:
    drawn = recorded("working/spinner").replace("Working…", "Daydreaming,")
    screen = read(drawn)
    assert screen.state is ScreenState.UNKNOWN
    assert screen.detail.startswith("an unknown status: ")


@pytest.mark.parametrize("glyph", "✻✽·*")
def test_glyph_and_verb_of_the_spinner_may_change(glyph: str) -> None:
    drawn = recorded("ready/fresh").replace(
        "\x1b[2m╭", f"{glyph} Actualizing… (83s · esc to interrupt)\n\x1b[2m╭", 1
    )
    assert read(drawn) == Screen(ScreenState.WORKING, "Actualizing… (83s · esc to interrupt)")


@pytest.mark.parametrize("path", sorted(SCREENS.glob("ready/*.txt")), ids=lambda path: path.stem)
def test_a_capture_amid_a_redraw_is_never_ready(path: Path) -> None:
    """Rows are missing at its end; a prompt sent on such a reading would be lost."""
    rows = path.read_text(encoding="utf-8").rstrip().split("\n")
    read_as = {read("\n".join(rows[:length])).state for length in range(1, len(rows))}
    assert ScreenState.READY not in read_as


# -- turns ----------------------------------------------------------------------------------------


def line(kind: str, **more: object) -> str:
    return json.dumps({"type": kind, "at": "2026-11-30T12:00:00Z", **more})


def test_the_transcript_is_below_the_home() -> None:
    assert backend.transcript("/seats/a/") == "/seats/a/.scripted/transcript.jsonl"


def test_a_turn_is_open_until_its_end() -> None:
    prompt = line("prompt", prompt_id="p1", text="x")
    tool = line("tool", argv=["git"], exit=0)
    end = line("end", prompt_id="p1", outcome="asked", detail="Which?")
    assert backend.turns([line("session"), prompt, tool]) == (Turn("p1", ended=False),)
    assert backend.turns([line("session"), prompt, tool, end]) == (
        Turn("p1", ended=True, outcome="asked", detail="Which?"),
    )


def test_a_turn_that_a_restart_cut_off_is_ended_by_it() -> None:
    cut = [line("session"), line("prompt", prompt_id="p1"), line("session")]
    assert backend.turns(cut) == (RESTARTED,)
    again = [*cut, line("prompt", prompt_id="p1")]
    assert backend.turns(again) == (RESTARTED, Turn("p1", ended=False))
    done = [*again, line("end", prompt_id="p1", outcome="done", detail="")]
    assert backend.turns(done) == (RESTARTED, Turn("p1", ended=True, outcome="done"))


def test_prompts_of_a_person_have_no_id() -> None:
    lines = [line("prompt", prompt_id=None), line("end", prompt_id=None, outcome="done", detail="d")]
    assert backend.turns(lines) == (Turn(None, ended=True, outcome="done", detail="d"),)


def test_lines_that_are_not_understood_are_skipped() -> None:
    lines = ["", "{", "[]", "7", '{"type": "prompt"}', '{"type": "end", "prompt_id": 3}', "\x00"]
    assert backend.turns([*lines, line("prompt", prompt_id="p1"), '{"type": "end", "pro']) == (
        Turn("p1", ended=False),
    )


def test_a_tail_of_the_transcript_still_tells_how_its_turns_ended() -> None:
    assert backend.turns([line("end", prompt_id="p1", outcome="done", detail="d")]) == (
        Turn("p1", ended=True, outcome="done", detail="d"),
    )
