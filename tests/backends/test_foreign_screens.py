"""What is not a program's own screen is unknown to its backend, whatever words stand on it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hive.facts.screens import ScreenState
from hive.kernel.plugins import backends
from tests.backends.foreign_screens import PHRASES, SCREENS, quoted, screens

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NAMES = list(backends())
SHELLS = ("agent@host:~/work$", "bash-5.2#", "~/work $", "root@host:/#", "(venv) agent@host:~$", "%")


@pytest.mark.parametrize("name", NAMES)
def test_two_hundred_screens_of_other_programs_are_unknown(name: str) -> None:
    read = backends()[name].read
    guesses = {shown: read(text, now=NOW) for shown, text in screens()}
    assert len(guesses) == 200
    wrong = {shown: screen for shown, screen in guesses.items() if screen.state is not ScreenState.UNKNOWN}
    assert wrong == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_screen_that_another_program_quotes_is_unknown(name: str) -> None:
    read = backends()[name].read
    wrong = {
        shown: screen
        for shown, text in quoted()
        if (screen := read(text, now=NOW)).state is not ScreenState.UNKNOWN
    }
    assert wrong == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prompt", SHELLS)
def test_a_shell_that_waits_is_an_ended_program(name: str, prompt: str) -> None:
    words = "\n".join(PHRASES)
    screen = backends()[name].read(f"{words}\n{prompt} \n\n", now=NOW)
    assert (screen.state, screen.detail) == (ScreenState.EXITED, prompt)


@pytest.mark.parametrize("name", NAMES)
def test_a_backend_does_not_know_the_screens_of_the_others(name: str) -> None:
    read = backends()[name].read
    wrong = {}
    for path in sorted(SCREENS.glob("*/*/*.txt")):
        text = path.read_text(encoding="utf-8")
        blank = not re.sub(r"\x1b\[[0-9;:]*m", "", text).strip()
        if path.parent.parent.name == name or path.parent.name == "exited" or blank:
            continue
        screen = read(text, now=NOW)
        if screen.state is not ScreenState.UNKNOWN:
            wrong[str(path.relative_to(SCREENS))] = screen
    assert wrong == {}


QUOTING = {
    "claude": ("ready/quotes-banners-2-1-197.txt", "  "),
    "copilot": ("ready/quotes-banners-1-0-102.txt", "   "),
    "gemini": ("ready/quotes-banners-0-61-0.txt", "  "),
    "codex": ("ready/quotes-banners-0-171-0.txt", "  "),
}


@pytest.mark.parametrize("name", list(QUOTING))
@pytest.mark.parametrize("colours", [True, False], ids=["colours", "plain"])
def test_what_the_agent_quotes_is_never_the_programs_word(name: str, colours: bool) -> None:
    """Its answer is replaced, row by row, by the chrome of every program."""
    place, indent = QUOTING[name]
    text = (SCREENS / name / place).read_text(encoding="utf-8")
    text = text if colours else re.sub(r"\x1b\[[0-9;:]*m", "", text)
    words = "Not logged in · Please run /login" if name == "claude" else "402"
    row = next(row for row in text.split("\n") if words in re.sub(r"\x1b\[[0-9;:]*m", "", row))
    for phrase in (*PHRASES, *(path.read_text(encoding="utf-8") for path in _boxes())):
        plain = re.sub(r"\x1b\[[0-9;:]*m", "", phrase)
        quote = "\n".join(indent + line.rstrip() for line in plain.split("\n") if line.strip())
        screen = backends()[name].read(text.replace(row, quote), now=NOW)
        assert (screen.state, screen.options) == (ScreenState.READY, ()), quote


def _boxes() -> list[Path]:
    return [path for state in ("asking", "limited") for path in sorted(SCREENS.glob(f"*/{state}/*.txt"))]
