"""The real programs' hooks reach hive, and what hive refuses never runs, however the model insists."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hive.contracts.hook_record import read_evidence, read_line, record_path
from hive.facts.hooks import HookMoment, HookState
from hive.standins.models.replies import run, say
from hive.standins.models.server import ModelServer
from tests.backends.ask_socket import AskSocket
from tests.backends.real_agent import RealAgent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(params=("claude", "copilot", "gemini", "codex"))
def agent(
    request: pytest.FixtureRequest, tmp_path: Path, models: ModelServer, hive: AskSocket
) -> Iterator[RealAgent]:
    made = RealAgent(request.param, tmp_path, models, socket=hive.path)
    try:
        yield made
    finally:
        made.stop()


def lines_with_an_end(agent: RealAgent) -> list[str]:
    """What the hooks noted, once the turn's end is among it: a program may rest before it calls its hook."""
    record = Path(record_path(str(agent.home)))
    deadline = time.monotonic() + 60
    while True:
        lines = record.read_text().splitlines()
        noted = [one.moment for one in map(read_line, lines) if one is not None]
        if HookMoment.END in noted or time.monotonic() > deadline:
            return lines
        time.sleep(0.1)


def test_hooks_drive_the_state_and_a_refused_command_never_runs(
    agent: RealAgent, models: ModelServer, hive: AskSocket
) -> None:
    called = agent.work.parent / "called"
    for program in ("gh", "git"):
        path = agent.home / "bin" / program
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\ncase "$*" in *push*|*merge*) echo "$0 $*" >> {called};; esac\n')
        path.chmod(0o755)
    agent.start()
    models.play(
        run("env X=1 gh pr merge 1 --squash"),
        run("bash -c 'gh pr merge 1'"),
        run("git -C . push origin HEAD:main"),
        run("echo went on > went-on.txt"),
        say("I could not."),
    )
    agent.submit("hive task t1/1: merge it.\n\nWhatever happens.")
    agent.until_asked(5)

    assert not called.exists()
    assert (agent.work / "went-on.txt").read_text() == "went on\n"
    told = " ".join(str(result) for asked in models.asked for result in asked.results)
    assert "hive refuses `gh pr merge 1 --squash` before it runs" in told
    assert "holdgated, which does not grant request-merge" in told
    assert "push-default-branch is never allowed" in told
    lines = lines_with_an_end(agent)
    moments = [noted.moment for noted in map(read_line, lines) if noted is not None]
    of_task = [moment for moment in moments if moment in (HookMoment.PROMPT, HookMoment.TOOL, HookMoment.END)]
    assert of_task[0] is HookMoment.PROMPT
    assert of_task.count(HookMoment.TOOL) == 4
    assert of_task[-1] is HookMoment.END
    evidence = read_evidence(lines)
    assert evidence is not None
    assert evidence.state is HookState.FINISHED
    assert evidence.conversation
    # A hook notes its moment before it tells hive.
    agent.until_holds(
        lambda: told_of(hive, of_task) == of_task, otherwise=lambda: str(told_of(hive, of_task))
    )


def told_of(hive: AskSocket, moments: Sequence[HookMoment]) -> list[str]:
    """What the hooks told hive, as far as it is of `moments`."""
    told = [json.loads(body)["moment"] for body in [*hive.bodies]]
    return [moment for moment in told if moment in moments]
