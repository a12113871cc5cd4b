"""Any program by description alone: a real interactive one in a real terminal, and what its screen means."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hive.contracts.backend import Backend, Process, Seat
from hive.contracts.command import CommandDefinition, ScreenRule, TranscriptRule, UsageRule, Where
from hive.facts.agents import AgentSpec, Conversation, Turn, session_name
from hive.facts.screens import Screen, ScreenState
from hive.facts.usage import TokenUsage, Usage, UsageSource
from hive.kernel.plugins import backend_kinds
from hive.ports.terminal import SessionOrder
from hive.shells.tmux import TmuxTerminal

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REPL = CommandDefinition(
    argv=(sys.executable, "-q", "-i", "-c", "import time"),
    screens=(
        ScreenRule(ScreenState.ASKING, Where.LAST_LINE, r"^(?P<detail>Continue\?) \[y/n\]"),
        ScreenRule(ScreenState.FAILED, Where.FOOTER, r"^\w*Error: (?P<detail>.+)"),
        ScreenRule(ScreenState.READY, Where.LAST_LINE, r"^>>> ?$"),
        ScreenRule(ScreenState.WORKING, Where.LAST_LINE, r"^working"),
    ),
    model_argv=("--model", "{model}"),
    resume_argv=("--resume", "{conversation}"),
    settle_ms=100,
    interrupt=("C-c",),
    transcript=TranscriptRule(
        ".repl/log.jsonl",
        prompt="user",
        end="done",
        error="failed",
        text="message.text",
        conversation="session",
    ),
)


def made(definition: CommandDefinition = REPL) -> Backend:
    return backend_kinds()["command"].make("repl", definition)


def seat(**changes: object) -> Seat:
    spec = AgentSpec("a", "scanner", "repl", model="m-1")
    return replace(Seat(spec, "/seats/a", "/seats/a/work", {"PATH": "/bin"}, 3), **changes)  # type: ignore[arg-type]  # the tests name fields


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[TmuxTerminal]:
    socket = tmp_path / "t" / "s"
    made = TmuxTerminal(socket, timeout=30, stop_grace=0.5)
    yield made
    made.stop(session_name("a"))
    made.close()
    subprocess.run(("tmux", "-S", str(socket), "kill-server"), capture_output=True, check=False)


def test_a_real_program_is_started_spoken_to_and_interrupted(terminal: TmuxTerminal, tmp_path: Path) -> None:
    backend, name = made(replace(REPL, model_argv=())), session_name("a")

    def until(state: ScreenState) -> Screen:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            screen = backend.read(terminal.capture([name]).get(name, ""), now=NOW)
            if screen.state is state:
                return screen
            time.sleep(0.05)
        raise AssertionError(f"not {state} but {screen}: {terminal.capture([name])}")

    def say(text: str) -> None:
        terminal.paste(name, text, {})
        time.sleep(backend.traits.submission.settle.total_seconds())
        terminal.press(name, backend.traits.submission.keys, {})

    launch = backend.launch(seat(environment={"PATH": "/usr/bin:/bin"}))
    terminal.create(SessionOrder(name, launch.argv, launch.environment, str(tmp_path)))
    assert until(ScreenState.READY) == Screen(ScreenState.READY)
    say("print('working'); time.sleep(60)")
    until(ScreenState.WORKING)
    terminal.press(name, backend.traits.interrupt, {})
    until(ScreenState.READY)
    say("1/0")
    assert until(ScreenState.FAILED) == Screen(ScreenState.FAILED, "division by zero")
    say("_ = input('Continue? [y/n] ')")
    assert until(ScreenState.ASKING).detail == "Continue?"


def test_what_fits_no_pattern_in_its_own_place_is_unknown() -> None:
    backend = made()
    assert backend.read("", now=NOW).state is ScreenState.STARTING
    said = backend.read(">>> \nthe agent says: working\nand more", now=NOW)
    assert said == Screen(ScreenState.UNKNOWN, "no pattern fits: and more")
    assert backend.read("root@host:~# ", now=NOW).state is ScreenState.EXITED


def test_a_box_gives_its_question_and_options() -> None:
    rule = ScreenRule(ScreenState.ASKING, Where.BOX, r"^Allow (?P<detail>.+\?)")
    shown = (
        "╭────────────────╮\n│ Allow this?    │\n│ ❯ 1. Yes       │\n│   2. No        │\n╰────────────────╯"
    )
    found = made(replace(REPL, screens=(rule, *REPL.screens))).read(shown, now=NOW)
    assert found == Screen(ScreenState.ASKING, "this?", options=("Yes", "No"))


def test_a_limit_gives_its_reset_time() -> None:
    rule = ScreenRule(ScreenState.LIMITED, Where.LAST_LINE, "limit reached")
    shown = "Usage limit reached, try again in 2 hours"
    found = made(replace(REPL, screens=(rule, *REPL.screens))).read(shown, now=NOW)
    assert (found.state, found.resets_at) == (ScreenState.LIMITED, NOW + timedelta(hours=2))


def test_the_command_line_has_the_model_and_the_conversation_where_there_is_one() -> None:
    backend = made()
    assert backend.launch(seat()).argv == (*REPL.argv, "--model", "m-1")
    resumed = backend.launch(seat(resume="c-7"))
    assert resumed.argv == (*REPL.argv, "--model", "m-1", "--resume", "c-7")
    assert resumed.environment["HIVE_GENERATION"] == "3"
    assert backend.traits.resumes
    assert not made(replace(REPL, transcript=None)).traits.resumes


def test_its_transcript_tells_turns_and_conversation() -> None:
    lines = [
        json.dumps(one)
        for one in (
            {"type": "user", "message": {"text": "hive task t1/1: go"}, "session": "c-7", "generation": 1},
            {"type": "done"},
            {"type": "user", "message": {"text": "a person's"}},
            {"type": "failed"},
            {"type": "user", "message": {"text": "hive task t2/1: go"}},
        )
    ]
    backend = made()
    assert backend.turns([*lines, "no json"]) == (
        Turn("t1/1", ended=True, outcome="done"),
        Turn(None, ended=True, outcome="error"),
        Turn("t2/1", ended=False),
    )
    assert backend.conversation(lines) == Conversation("c-7", 1)
    assert backend.transcript("/seats/a") == "/seats/a/.repl/log.jsonl"


def test_its_process_is_known_by_the_name_of_its_program() -> None:
    backend = made(replace(REPL, argv=("/opt/bin/repl",)))
    assert backend.is_agent(Process(1, 0, ("/opt/bin/repl", "-x")))
    assert backend.is_agent(Process(1, 0, ("/usr/bin/python3", "/opt/bin/repl")))
    assert not backend.is_agent(Process(1, 0, ("bash", "-c", "repl")))


def test_tokens_are_counted_where_the_definition_says_that_they_stand_and_each_answer_once() -> None:
    rule = UsageRule(
        ".repl/sessions/*.jsonl",
        line="spent",
        input="tokens.in",
        output="tokens.out",
        cache_read="tokens.cached",
        input_holds_caches=True,
    )
    backend = made(replace(REPL, usage=rule))
    assert backend.usage_logs("/seats/a/") == ("/seats/a/.repl/sessions/*.jsonl",)

    def spent(key: object, tokens: object, **more: object) -> str:
        return json.dumps({"type": "spent", "id": key, "model": "m-1", "tokens": tokens, **more})

    lines = [
        spent("a", {"in": 100, "out": 5, "cached": 60}, timestamp="2026-11-30T12:00:00+00:00"),
        spent("a", {"in": 100, "out": 9, "cached": 60}),
        spent(7, {"in": 3, "out": True, "cached": -1}),
        spent("", {"in": 3}),
        spent("b", "many"),
        json.dumps({"type": "other", "id": "c", "tokens": {"in": 1}}),
        "{",
    ]
    assert backend.usage(lines) == (
        Usage("m-1", TokenUsage(input=40, output=9, cache_read=60), "a", UsageSource.TRANSCRIPT, NOW),
        Usage("m-1", TokenUsage(input=3), "7", UsageSource.TRANSCRIPT),
    )
    assert (made().usage_logs("/seats/a"), made().usage(lines)) == ((), ())
