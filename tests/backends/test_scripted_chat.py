"""The scripted agent as a chat in a real terminal: what it takes, what it shows, how it ends."""

from __future__ import annotations

import os
from hashlib import sha256

import pytest

from hive.facts.screens import ScreenState
from tests.backends.stage import Stage, until

UNKNOWN, READY, WORKING = ScreenState.UNKNOWN, ScreenState.READY, ScreenState.WORKING
DRAFT = "draft in the composer"


@pytest.mark.parametrize(
    "text",
    [
        "run the tests;",
        ";",
        "-rf everything",
        "a\n\nb\n\tc",
        'it\'s "quoted" `x` $(id) \\n %s #{pane_id}',
        "🎉 日本語 é e\u0301 \u202eabc\u202c zero\u200bwidth",
        "x" * 20_000,
        "line é\n" * 12_000,
    ],
    ids=["semicolon", "only-semicolon", "flag", "lines", "quotes", "unicode", "one-long-line", "100-kB"],
)
def test_pasted_text_arrives_byte_for_byte_in_one_prompt(stage: Stage, text: str) -> None:
    stage.start()
    stage.submit(text)
    stage.until_end()
    (record,) = stage.records("prompt")
    assert (record["text"], record["bytes"]) == (text, len(text.encode()))
    assert record["sha256"] == sha256(text.encode()).hexdigest()


def test_typed_text_arrives_and_is_shown_while_it_is_typed(stage: Stage) -> None:
    stage.start()
    stage.until_screen(READY)
    stage.type("fix the ünïcode 🎉")
    stage.until_screen(UNKNOWN, DRAFT)
    until(lambda: "│ > fix the ünïcode 🎉▏" in stage.plain(), "the typed text is shown")
    stage.press("Enter")
    stage.until_end()
    assert [record["text"] for record in stage.records("prompt")] == ["fix the ünïcode 🎉"]


def test_a_long_paste_is_shown_as_a_chip(stage: Stage) -> None:
    stage.start()
    stage.until_screen(READY)
    stage.paste(b"one\n" * 40)
    until(lambda: "│ > [pasted 40 lines]▏" in stage.plain(), "the chip is shown")


def test_without_bracketed_paste_every_line_is_submitted_by_itself(stage: Stage) -> None:
    stage.start(script=["no-paste"])
    stage.until_screen(READY)
    stage.paste(b"one\rtwo\r")
    stage.until_end(2)
    assert [record["text"] for record in stage.records("prompt")] == ["one", "two"]


def test_what_is_typed_before_the_composer_is_drawn_is_lost(stage: Stage) -> None:
    stage.start(script=["start-delay 1"])
    stage.until_screen(ScreenState.STARTING, "the program is starting")
    stage.type("too early")
    stage.press("Enter")
    stage.until_screen(READY)
    assert stage.records("prompt") == []


def test_lost_enters_leave_the_draft_where_it_is_until_they_are_repeated(stage: Stage) -> None:
    stage.start(script=["ignore-enter 2"])
    stage.until_screen(READY)
    stage.type("hello")
    for _ in range(2):
        stage.until_screen(UNKNOWN, DRAFT)
        stage.press("Enter")
    stage.until_screen(UNKNOWN, DRAFT)
    assert stage.records("prompt") == []
    stage.press("Enter")
    stage.until_end()
    assert [record["text"] for record in stage.records("prompt")] == ["hello"]


def test_ctrl_c_clears_a_draft_and_twice_on_an_empty_composer_ends_the_program(stage: Stage) -> None:
    stage.start()
    stage.until_screen(READY)
    stage.type("never mind")
    stage.until_screen(UNKNOWN, DRAFT)
    stage.press("C-c")
    stage.until_screen(READY)
    stage.press("C-c")
    until(lambda: "ctrl-c again to exit" in stage.plain(), "the hint is shown")
    stage.press("C-c")
    assert stage.until_dead() == ("0", "")


def test_ctrl_d_ends_the_program(stage: Stage) -> None:
    stage.start()
    stage.until_screen(READY)
    stage.press("C-d")
    assert stage.until_dead() == ("0", "")


@pytest.mark.parametrize("key", ["C-c", "Escape"])
def test_a_turn_is_interrupted_from_the_keyboard(stage: Stage, key: str) -> None:
    stage.start()
    stage.submit("@script hang")
    stage.until_screen(WORKING)
    stage.press(key)
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == ("interrupted", "interrupted from the keyboard")
    stage.until_screen(READY)


def test_a_prompt_sent_while_working_waits_for_its_turn(stage: Stage) -> None:
    stage.start()
    stage.submit("@script hang")
    stage.until_screen(WORKING)
    stage.type("second")
    stage.press("Enter")
    until(lambda: "1 queued" in stage.plain(), "the prompt is queued")
    stage.press("Escape")
    stage.until_end(2)
    assert [record["text"] for record in stage.records("prompt")] == ["@script hang", "second"]
    assert [record["outcome"] for record in stage.records("end")] == ["interrupted", "done"]


@pytest.mark.parametrize("columns", [40, 200])
def test_a_resize_redraws_everything_once(stage: Stage, columns: int) -> None:
    stage.start(columns=100)
    stage.submit("hello")
    stage.until_end()
    stage.until_screen(READY)
    stage.tmux("resize-window", "-t", "=a:", "-x", str(columns), "-y", "20")
    edge = "╭" + "─" * (columns - 3) + "╮"
    until(lambda: edge in stage.plain(), "the frame has the new width")
    stage.until_screen(READY)
    shown = stage.plain()
    assert (shown.count("╭"), shown.count("> hello")) == (1, 1)


def test_a_status_too_long_for_the_screen_is_wrapped_and_still_read(stage: Stage) -> None:
    stage.start(columns=40, script=['limit "resets 3pm (Europe/Berlin)"'])
    screen = stage.until_screen(ScreenState.LIMITED)
    assert screen.detail == "Usage limit reached · resets 3pm (Europe/Berlin)"
    assert screen.resets_at is not None
    assert screen.resets_at.isoformat() == "2026-11-30T14:00:00+00:00"


def test_under_a_limit_prompts_are_refused_until_it_is_lifted(stage: Stage) -> None:
    stage.start(script=['limit "resets 3pm (UTC)"'])
    stage.until_screen(ScreenState.LIMITED)
    stage.type("hello")
    stage.press("Enter")
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == ("error", "Usage limit reached · resets 3pm (UTC)")
    stage.until_screen(ScreenState.LIMITED)
    stage.type("/resume")
    stage.press("Enter")
    stage.until_screen(READY)
    stage.submit("hello")
    assert stage.until_end(2)["outcome"] == "done"


def test_a_limit_with_a_duration_lifts_by_itself(stage: Stage) -> None:
    stage.start()
    stage.submit('@script limit "resets 3pm (UTC)" 1')
    stage.until_screen(ScreenState.LIMITED)
    stage.until_screen(READY)


def test_a_chain_of_boxes_at_the_start_eats_what_is_pasted_into_it(stage: Stage) -> None:
    stage.start(script=["trust-box", "picker-box"])
    box = stage.until_screen(ScreenState.ASKING, "Do you trust the files in this folder?")
    assert box.options == ("No, exit", "Yes, I trust this folder")
    stage.paste(b"do the work")
    stage.press("Down", "Enter")
    stage.until_screen(ScreenState.ASKING, "Which extra servers shall be used?")
    stage.press("2")
    stage.until_screen(READY)
    assert stage.records("prompt") == []


def test_a_blind_enter_into_the_trust_box_ends_the_program(stage: Stage) -> None:
    stage.start(script=["trust-box"])
    stage.until_screen(ScreenState.ASKING)
    stage.press("Enter")
    assert stage.until_dead() == ("1", "")


def test_a_turn_may_end_with_a_question(stage: Stage) -> None:
    stage.start()
    stage.submit('@script ask "Which file?" "a.py" "b.py"')
    end = stage.until_end()
    assert (end["outcome"], end["detail"]) == ("asked", "Which file?")
    assert stage.until_screen(ScreenState.ASKING, "Which file?").options == ("a.py", "b.py")
    stage.press("Enter")
    stage.until_screen(READY)


@pytest.mark.parametrize(("key", "outcome"), [("1", "done"), ("2", "interrupted")])
def test_a_permission_box_stops_the_turn_until_somebody_chooses(stage: Stage, key: str, outcome: str) -> None:
    stage.start()
    stage.submit('@script permission "May I run the tests?"')
    assert stage.until_screen(ScreenState.ASKING, "May I run the tests?").options == ("Yes", "No")
    assert stage.records("end") == []
    stage.press(key)
    assert stage.until_end()["outcome"] == outcome


def test_text_that_looks_like_banners_and_boxes_changes_no_reading(stage: Stage) -> None:
    stage.start()
    stage.submit("@script quote-banner")
    stage.until_end()
    stage.until_screen(READY)
    assert "■ Usage limit reached" in stage.plain()


def test_an_unknown_mark_is_told_and_ignored(stage: Stage) -> None:
    stage.start()
    stage.submit("@script dance\nnot a mark: @script hang")
    assert stage.until_end()["outcome"] == "done"
    assert "Unknown script mark, ignored: dance" in stage.plain()


def test_a_mark_ends_the_program_with_a_status(stage: Stage) -> None:
    stage.start()
    stage.submit("@script exit 3")
    assert stage.until_dead() == ("3", "")


def test_a_crash_on_demand_kills_the_program_amid_the_turn(stage: Stage) -> None:
    stage.start()
    stage.submit("@script crash-once")
    assert stage.until_dead()[1] == "9"
    assert (len(stage.records("prompt")), stage.records("end")) == (1, [])


def test_children_are_left_behind_and_one_of_them_in_its_own_session(stage: Stage) -> None:
    stage.start()
    stage.submit("@script fork-children 2")
    stage.until_end()
    (session,) = stage.records("session")
    children = stage.children(int(str(session["pid"])))
    try:
        assert len(children) == 2
        assert len({os.getsid(child) for child in children}) == 2
    finally:
        for child in children:
            os.kill(child, 9)


def test_no_secret_of_the_environment_reaches_the_screen_or_the_transcript(stage: Stage) -> None:
    secret = "hive-token-0123456789"
    stage.start(HIVE_TOKEN=secret, OTHER_ADDRESS=f"http://x:{secret}@localhost")
    stage.submit("@script print-env")
    stage.until_end()
    shown = stage.tmux("capture-pane", "-p", "-S", "-200", "-t", "=a:")
    assert "HIVE_TOKEN=***" in shown
    assert "OTHER_ADDRESS=http://x:***@localhost" in shown
    assert secret not in shown
    assert secret not in "\n".join(stage.lines())
