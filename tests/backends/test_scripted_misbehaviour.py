"""What the scripted agent does wrong on demand, in a real terminal: each mark is what it says."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from hive.facts.agents import Turn
from hive.facts.screens import ScreenState
from hive_backends.scripted import backend
from tests.backends.stage import Stage, prompt, until

UNKNOWN, READY, WORKING = ScreenState.UNKNOWN, ScreenState.READY, ScreenState.WORKING


def paste_and_enter(stage: Stage, text: str) -> None:
    stage.until_screen(READY)
    stage.paste(text.encode())
    stage.until_screen(UNKNOWN, "draft in the composer")
    stage.press("Enter")


def states(home: Path) -> list[str]:
    lines = (home / ".scripted" / "states.jsonl").read_text().splitlines()
    return [json.loads(line)["state"] for line in lines]


@pytest.mark.parametrize(
    ("mark", "status", "number"),
    [("exit 7", "7", ""), ("signal SIGSEGV", "", "11"), ("out-of-memory 8", "", "9")],
)
def test_it_ends_in_each_way_that_a_program_can_and_notes_so_before(
    stage: Stage, mark: str, status: str, number: str
) -> None:
    stage.start(script=["log-states"])
    stage.submit(f"@script {mark}")
    assert stage.until_dead() == (status, number)
    assert states(stage.home)[-1] == "ended"


def test_a_mark_with_the_word_once_holds_for_the_first_try_of_a_task(stage: Stage) -> None:
    stage.start()
    stage.submit("@script exit 7 once")
    assert stage.until_dead() == ("7", "")
    stage.restart()
    stage.submit("@script exit 7 once")
    assert stage.until_end()["outcome"] == "done"


def test_it_ends_at_once_before_anything_is_drawn(stage: Stage) -> None:
    stage.start(script=["exit-at-start 4"])
    assert stage.until_dead() == ("4", "")
    assert "Scripted agent" not in stage.plain()


def test_it_dies_in_the_midst_of_a_paste_once(stage: Stage) -> None:
    stage.start(script=["die-in-paste"])
    stage.until_screen(READY)
    stage.paste(b"x" * 5000)
    assert stage.until_dead() == ("", "9")
    stage.restart()
    stage.submit("hello")
    stage.until_end()
    assert [record["text"] for record in stage.records("prompt")] == ["hello"]


def test_it_stands_stopped_until_somebody_lets_it_go_on(stage: Stage) -> None:
    # Below a shell, as below hive's own launcher: tmux lets a child of its own go on at once.
    stage.start(script=["log-states"], under=("sh", "-c", '"$@"; exit $?', "sh"))
    stage.submit("@script stop")
    (pid,) = stage.children(int(stage.pane("pane_pid")))

    def is_stopped() -> bool:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"

    until(is_stopped, "it is stopped")
    assert states(stage.home)[-1] == "hung"
    os.kill(pid, signal.SIGCONT)
    assert stage.until_end()["outcome"] == "done"


def test_a_prompt_that_it_ignores_is_gone_and_the_next_one_is_taken(stage: Stage) -> None:
    stage.start(script=["ignore-prompt 1"])
    paste_and_enter(stage, "lost")
    paste_and_enter(stage, "taken")
    stage.until_end()
    assert [record["text"] for record in stage.records("prompt")] == ["taken"]


def test_every_prompt_needs_a_second_enter(stage: Stage) -> None:
    stage.start(script=["double-enter"])
    for number in (1, 2):
        paste_and_enter(stage, f"prompt {number}")
        stage.until_screen(UNKNOWN, "draft in the composer")
        assert len(stage.records("prompt")) == number - 1
        stage.press("Enter")
        stage.until_end(number)


def test_a_dialog_that_nobody_knows_stands_amid_a_turn_until_it_is_answered(stage: Stage) -> None:
    stage.start(script=["log-states"])
    stage.submit("@script strange-dialog")
    stage.until_screen(UNKNOWN, "an unknown screen: [Next]  [Skip]")
    assert states(stage.home)[-1] == "blocked"
    stage.press("Enter")
    assert stage.until_end()["outcome"] == "done"
    stage.until_screen(READY)


def test_a_dialog_that_nobody_knows_goes_away_by_itself_after_its_time(stage: Stage) -> None:
    stage.start()
    stage.submit("@script strange-dialog 1")
    stage.until_screen(UNKNOWN, "an unknown screen: [Next]  [Skip]")
    assert stage.until_end()["outcome"] == "done"


def test_a_flood_is_far_more_than_a_screen_can_hold_and_the_end_is_read_all_the_same(stage: Stage) -> None:
    stage.start()
    stage.submit("@script flood 0.5")
    assert stage.until_end()["outcome"] == "done"
    stage.until_screen(READY)
    assert int(stage.pane("history_size")) > 500


def test_a_frozen_program_stays_on_the_screen_as_it_was(stage: Stage) -> None:
    stage.start()
    stage.submit("@script freeze 2")
    stage.until_screen(WORKING)
    before = stage.plain()
    stage.press("x")
    assert stage.plain().count("esc to interrupt") == before.count("esc to interrupt") == 1
    assert stage.until_end()["outcome"] == "done"


def test_it_refuses_a_task_and_says_why(stage: Stage) -> None:
    stage.start()
    stage.submit('@script refuse "it is against my rules"')
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == ("refused", "it is against my rules")
    stage.until_screen(ScreenState.FAILED, "Turn refused: it is against my rules")


def test_the_end_of_a_turn_that_nobody_asked_for_is_not_that_of_the_prompt(stage: Stage) -> None:
    stage.start()
    stage.submit(prompt("@script wrong-turn\n@script hang", clone=stage.repository()))
    until(lambda: stage.records("end"), "the wrong end is told")
    assert backend.turns(stage.lines()) == (
        Turn("t1/p1", ended=False),
        Turn("wrong/turn/1", ended=True, outcome="done", detail="the end of a turn that nobody asked for"),
    )


def test_the_log_of_states_tells_each_change_and_nothing_is_kept_unasked(stage: Stage) -> None:
    stage.start(script=["log-states"])
    stage.submit("@script slow 0.3")
    stage.until_end()
    stage.until_screen(READY)
    assert states(stage.home) == ["starting", "ready", "draft", "working", "ready"]
    stage.press("C-d")
    stage.until_dead()
    assert states(stage.home)[-1] == "ended"
    stage.stop()
    (stage.home / ".scripted" / "states.jsonl").unlink()
    stage.start()
    stage.until_screen(READY)
    assert not (stage.home / ".scripted" / "states.jsonl").exists()
