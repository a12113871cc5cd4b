"""The real programs, started as hive starts them, do what the scripted model says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.facts.screens import ScreenState
from hive.standins.models.replies import Fail, run, say, write_file
from hive.standins.models.server import ModelServer
from tests.backends.real_agent import RealAgent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


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
    agent.submit("Case 1: write the file.")
    agent.until(ScreenState.READY)
    assert (agent.work / "hello.txt").read_text() == "hello\n"

    models.play(run("gh pr merge 1 --squash"), say("It was refused."))
    agent.submit("Case 2: merge it.")
    agent.until(ScreenState.READY)
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
    assert not Path(f"/proc/{pane.pid}").exists()
    home = str(agent.home)
    left = [
        entry.name
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and home in _environment(entry)
    ]
    assert left == []


def _environment(process: Path) -> str:
    try:
        return (process / "environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""  # it ended meanwhile, or is not ours
