"""Turns as the hooks of the programs note them, through a real shell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hive.facts.agents import LOST_TURN, Turn
from hive_backends.turn_log import Note, noting, path_of, read_turns


def note(home: Path, kind: Note, document: object, *, indent: int | None = None) -> None:
    """What a program does when it runs the hook."""
    (home / ".hive").mkdir(exist_ok=True)
    subprocess.run(
        ("sh", "-c", noting(kind)),
        input=json.dumps(document, indent=indent).encode(),
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        check=True,
        timeout=30,
    )


def turns(home: Path) -> tuple[Turn, ...]:
    return read_turns(Path(path_of(str(home))).read_text(encoding="utf-8").splitlines())


def test_a_prompt_and_its_end_are_a_turn(tmp_path: Path) -> None:
    note(tmp_path, Note.SESSION, {"source": "startup"})
    note(tmp_path, Note.PROMPT, {"prompt": "hive task t1/1: work\n\n'$(id)' \"x\" ü 漢"}, indent=2)
    assert turns(tmp_path) == (Turn("t1/1", ended=False),)
    note(tmp_path, Note.END, {})
    assert turns(tmp_path) == (Turn("t1/1", ended=True, outcome="done"),)


def test_a_persons_own_prompt_has_no_number(tmp_path: Path) -> None:
    note(tmp_path, Note.PROMPT, {"prompt": "please look at hive task t1/1: work"})
    note(tmp_path, Note.FAILURE, {"error": "rate_limit"})
    assert turns(tmp_path) == (Turn(None, ended=True, outcome="error", detail="rate_limit"),)


@pytest.mark.parametrize(
    ("kind", "detail"),
    [
        (Note.SESSION, "the agent was restarted"),
        (Note.PROMPT, "another prompt came before it ended"),
    ],
)
def test_a_turn_that_something_else_follows_is_lost(tmp_path: Path, kind: Note, detail: str) -> None:
    note(tmp_path, Note.PROMPT, {"prompt": "hive task t1/1: work"})
    note(tmp_path, kind, {})
    assert turns(tmp_path)[0] == Turn("t1/1", ended=True, outcome=LOST_TURN, detail=detail)


def test_lines_that_are_not_understood_are_skipped() -> None:
    lines = [
        "",
        "{",
        "[]",
        '"x"',
        '{"event":"prompt"}',
        '{"event":"prompt","data":7}',
        '{"event":"new","data":{}}',
    ]
    assert read_turns(lines) == ()
