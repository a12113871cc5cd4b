"""Turns as the hooks of the programs note them, by the program that the hooks start."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive.facts.agents import LOST_TURN, Turn
from hive.facts.hooks import HookMoment
from hive_backends.turn_log import path_of, read_turns
from tests.backends.hook import Hook


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path)


def turns(home: Path) -> tuple[Turn, ...]:
    return read_turns(Path(path_of(str(home))).read_text(encoding="utf-8").splitlines())


def test_a_prompt_and_its_end_are_a_turn(hook: Hook) -> None:
    hook.run(HookMoment.SESSION, {"source": "startup"})
    hook.run(HookMoment.PROMPT, {"prompt": "hive task t1/1: work\n\n'$(id)' \"x\" ü 漢"})
    assert turns(hook.home) == (Turn("t1/1", ended=False),)
    hook.run(HookMoment.END, {})
    assert turns(hook.home) == (Turn("t1/1", ended=True, outcome="done"),)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ({"last_assistant_message": "I read it.\n\nWhat should I focus on?"}, "What should I focus on?"),
        ({"prompt_response": "**Soll ich beides tun?**\n"}, "**Soll ich beides tun?**"),
        ({"last_assistant_message": "どちらにしますか？"}, "どちらにしますか？"),
        ({"last_assistant_message": "Why? Because.\n\nDone."}, ""),
        ({"last_assistant_message": "secret"}, ""),
        ({"last_assistant_message": None}, ""),
        ({"last_assistant_message": ["?"]}, ""),
        ({}, ""),
    ],
)
def test_a_turn_that_ends_with_a_question_is_one_that_asked(
    hook: Hook, said: dict[str, object], question: str
) -> None:
    """Case 35: it was kicked, asked what to do, and stopped."""
    hook.run(HookMoment.PROMPT, {"prompt": "hive task t1/1: work"})
    hook.run(HookMoment.END, said)
    outcome = "asked" if question else "done"
    assert turns(hook.home) == (Turn("t1/1", ended=True, outcome=outcome, detail=question),)
    assert "secret" not in Path(path_of(str(hook.home))).read_text(encoding="utf-8")


def test_a_persons_own_prompt_has_no_number(hook: Hook) -> None:
    hook.run(HookMoment.PROMPT, {"prompt": "please look at hive task t1/1: work"})
    hook.run(HookMoment.FAILURE, {"error": "rate_limit"})
    assert turns(hook.home) == (Turn(None, ended=True, outcome="error", detail="rate_limit"),)


@pytest.mark.parametrize(
    ("moment", "detail"),
    [
        (HookMoment.SESSION, "the agent was restarted"),
        (HookMoment.PROMPT, "another prompt came before it ended"),
    ],
)
def test_a_turn_that_something_else_follows_is_lost(hook: Hook, moment: HookMoment, detail: str) -> None:
    hook.run(HookMoment.PROMPT, {"prompt": "hive task t1/1: work"})
    hook.run(moment, {})
    assert turns(hook.home)[0] == Turn("t1/1", ended=True, outcome=LOST_TURN, detail=detail)


def test_a_conversation_that_is_compacted_goes_on_with_its_turn(hook: Hook) -> None:
    hook.run(HookMoment.PROMPT, {"prompt": "hive task t1/1: work"})
    hook.run(HookMoment.SESSION, {"source": "compact"})
    assert turns(hook.home) == (Turn("t1/1", ended=False),)


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
