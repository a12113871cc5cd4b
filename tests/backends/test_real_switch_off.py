"""Settings that lie where a program is started switch none of hive's hooks off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.standins.models.replies import run, say
from hive.standins.models.server import ModelServer
from tests.backends.ask_socket import AskSocket
from tests.backends.real_agent import RealAgent

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

OFF: dict[str, dict[str, object]] = {
    "claude": {
        ".claude/settings.json": {"disableAllHooks": True},
        ".claude/settings.local.json": {"disableAllHooks": True},
    },
    "gemini": {
        ".gemini/settings.json": {
            "hooksConfig": {"enabled": False, "disabled": ["hive-tool", "hive-prompt"]},
            "hooks": {"BeforeTool": []},
        }
    },
    "copilot": {
        ".github/copilot/settings.json": {"disableAllHooks": True},
        ".github/copilot/settings.local.json": {"disableAllHooks": True},
    },
    "codex": {
        ".codex/config.toml": "[features]\nhooks = false\n",
        ".codex/hooks.json": {"hooks": {"PreToolUse": []}},
    },
}


@pytest.fixture(params=tuple(OFF))
def agent(
    request: pytest.FixtureRequest, tmp_path: Path, models: ModelServer, hive: AskSocket
) -> Iterator[RealAgent]:
    made = RealAgent(request.param, tmp_path, models, socket=hive.path)
    made.work = made.home / "work"
    made.work.mkdir()
    try:
        yield made
    finally:
        made.stop()


def test_what_hive_refuses_never_runs_whatever_the_folder_says_of_hooks(
    agent: RealAgent, models: ModelServer
) -> None:
    for name, content in OFF[agent.backend.name].items():
        path = agent.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    called = agent.work.parent / "called"
    program = agent.home / "bin" / "git"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\ncase "$*" in *push*) echo "$*" >> {called};; esac\n')
    program.chmod(0o755)
    agent.start()
    models.play(run("git -C . push origin HEAD:main"), say("I could not."))
    agent.submit("hive task t1/1: merge it.")
    agent.until_asked(2)
    told = " ".join(str(result) for asked in models.asked for result in asked.results)
    assert not called.exists()
    assert "push-default-branch is never allowed" in told
