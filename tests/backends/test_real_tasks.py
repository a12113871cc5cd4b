"""The real programs, started as hive starts them, do what the scripted model says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.facts.agents import Turn
from hive.facts.screens import ScreenState
from hive.standins.models.replies import Fail, run, say, write_file
from hive.standins.models.server import ModelServer
from tests.backends.real_agent import RealAgent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(params=("claude", "copilot", "gemini"))
def agent(request: pytest.FixtureRequest, tmp_path: Path, models: ModelServer) -> Iterator[RealAgent]:
    made = RealAgent(request.param, tmp_path, models)
    try:
        yield made
    finally:
        made.stop()


def test_a_task_writes_its_file_without_asking_and_a_forbidden_command_never_runs(
    agent: RealAgent, models: ModelServer
) -> None:
    called = agent.work.parent / "called"
    gh = agent.home / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(f'#!/bin/sh\necho "$@" >> {called}\n')
    gh.chmod(0o755)
    seconds = agent.start()
    print(f"{agent.backend.name} was ready after {seconds:.1f} s")

    models.play(write_file(str(agent.work / "hello.txt"), "hello\n"), say("Done."))
    agent.submit("hive task t1/1: write the file.\n\nThat is all.")
    agent.until_asked(2)
    agent.until_turns(Turn("t1/1", ended=True, outcome="done"))
    assert (agent.work / "hello.txt").read_text() == "hello\n"

    models.play(run("gh auth token"), say("It was refused."))
    agent.submit("Case 2: show the token.")
    agent.until_asked(4)
    assert len(models.asked) == 4, [asked.results for asked in models.asked]
    assert models.asked[3].results, "the model is told what became of its call"
    assert not called.exists()


def test_an_error_of_the_provider_is_seen_for_what_it_is(agent: RealAgent, models: ModelServer) -> None:
    agent.start()
    models.otherwise = lambda _: Fail(402, "billing_error", "Payment required")
    agent.submit("Case 1: go on.")
    agent.until(ScreenState.OUT_OF_CREDIT)


def test_nothing_of_a_stopped_program_is_left(agent: RealAgent) -> None:
    agent.start()
    pane = agent.terminal.look()[0]
    agent.terminal.stop(agent.session)
    assert agent.terminal.look() == ()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (left := processes_of(str(agent.home))):
        time.sleep(0.1)
    assert left == [], pane


def processes_of(home: str) -> list[str]:
    """Living processes that were started with that HOME: the ended have no environment any more."""
    processes = (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [process.name for process in processes if f"HOME={home}\0" in _environment(process)]


def _environment(process: Path) -> str:
    try:
        return (process / "environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""  # it ended meanwhile, or is not ours
